//go:build linux

package record

import (
	"encoding/binary"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// spin uses the processor on the current thread for a time that the kernel
// measures.
func spin(d time.Duration) {
	used := func() int64 {
		var t unix.Timespec
		_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
		return t.Nano()
	}
	for end := used() + int64(d); used() < end; {
	}
}

// sumOf adds up the rows of ThreadTimes.
func sumOf(t *ThreadTimes, of func(*threadTime) bool) (nanos uint64) {
	for i := range t.rows {
		if r := &t.rows[i]; of(r) {
			nanos += r.user + r.system
		}
	}
	return nanos
}

// TestThreadTimes reads the times of this process: those of this thread, and of
// one that ends between two readings.
func TestThreadTimes(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	times := NewThreadTimes(os.Getpid())
	expect.NoError(t, times.Read())
	expect.Len(t, "rows of the first reading", times.rows, 0)
	const used = 200 * time.Millisecond // many ticks of the kernel, which are up to 10 ms
	spin(used)
	expect.NoError(t, times.Read())
	here := unix.Gettid()
	got := sumOf(times, func(r *threadTime) bool { return r.id == here })
	expect.AtLeast(t, "time of this thread", got, uint64(used)*8/10)
	all := 0
	for one := range times.All() {
		if all++; all == 1 {
			p := one.Payload
			expect.Equal(t, "provider", one.Metadata.Provider, CollectorProvider)
			expect.Equal(t, "thread", int(binary.LittleEndian.Uint64(p[16:])), times.rows[0].id)
			expect.Equal(t, "from", binary.LittleEndian.Uint64(p), times.rows[0].from)
			expect.Equal(t, "to", binary.LittleEndian.Uint64(p[8:]), times.rows[0].to)
		}
	}
	expect.Equal(t, "events", all, len(times.rows))
	expect.AtLeast(t, "threads", times.Threads(), 1)
	expect.ErrorIs(t, NewThreadTimes(1<<30).Read(), os.ErrNotExist)
}

// TestThreadTimesEnded: what the process used beyond its threads is the time of
// those that have ended.
func TestThreadTimesEnded(t *testing.T) {
	const ms = uint64(time.Millisecond)
	for _, c := range []struct {
		name    string
		gone    []int
		process uint64 // since the first reading
		want    map[int]uint64
	}{
		{"nothing has ended", nil, 100 * ms, nil},
		{"rounding", nil, 120 * ms, nil},
		{"threads that no reading met", nil, 150 * ms, map[int]uint64{0: 50 * ms}},
		{"one", []int{8}, 105 * ms, map[int]uint64{8: 5 * ms}},
		{"two", []int{8, 9}, 140 * ms, map[int]uint64{8: 20 * ms, 9: 20 * ms}},
		{"none of their time is missing", []int{8}, 90 * ms, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			times := &ThreadTimes{threads: map[int]*threadReading{7: {}}, process: 1000 * ms, given: 100 * ms}
			for _, id := range c.gone {
				times.threads[id] = &threadReading{id: id, name: "gone"}
			}
			times.ended(map[int]*threadReading{7: {}}, threadTime{from: 1, to: 2}, 1000*ms+c.process)
			expect.Len(t, "rows", times.rows, len(c.want))
			for id, want := range c.want {
				expect.Equal(t, "time", sumOf(times, func(r *threadTime) bool { return r.id == id }), want)
			}
		})
	}
}

// TestThreadIDOf: the id of a thread is that in the namespace of its process.
func TestThreadIDOf(t *testing.T) {
	for _, c := range []struct {
		name, status string
		want         int
	}{
		{"one namespace", "Name:\tapp\nNSpid:\t70\n", 70},
		{"a container", "Name:\tapp\nNSpid:\t70\t12\t7\nNSpgid:\t1\n", 7},
		{"an old kernel", "Name:\tapp\nPid:\t70\n", 70},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Equal(t, "id", threadIDOf([]byte(c.status), 70), c.want)
		})
	}
}

// TestThreadTimesBound: of too many rows the older half is dropped.
func TestThreadTimesBound(t *testing.T) {
	times := &ThreadTimes{rows: make([]threadTime, maxThreadTimes)}
	times.add(threadTime{id: 9, user: 1})
	expect.Len(t, "rows", times.rows, maxThreadTimes/2+1)
	expect.Equal(t, "dropped", times.Dropped(), maxThreadTimes/2)
	expect.Equal(t, "the last", times.rows[len(times.rows)-1].id, 9)
}

// TestTimesOf reads stat files, whose second field may contain anything.
func TestTimesOf(t *testing.T) {
	const before, after = " S 1 1 1 0 -1 4194560 100 0 0 0 ", " 0 0 20 0 30 0 100"
	for _, c := range []struct {
		name, stat   string
		user, system uint64
		ok           bool
	}{
		{"plain", "7 (app)" + before + "12 3" + after, 120e6, 30e6, true},
		{"parentheses and spaces", "7 (a ) b (c)" + before + "12 3" + after, 120e6, 30e6, true},
		{"too short", "7 (app) S 1 1", 0, 0, false},
		{"no number", "7 (app)" + before + "x 3" + after, 0, 30e6, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			user, system, err := timesOf([]byte(c.stat))
			expect.Equal(t, "ok", err == nil, c.ok)
			if c.ok {
				expect.Equal(t, "user", user, c.user)
				expect.Equal(t, "system", system, c.system)
			}
		})
	}
}
