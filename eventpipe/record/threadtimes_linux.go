package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// NewThreadTimes returns the ThreadTimes of a process, by its id in the caller's
// namespace. It reads nothing yet.
func NewThreadTimes(pid int) *ThreadTimes {
	return &ThreadTimes{dir: fmt.Sprintf("/proc/%d", pid), threads: map[int]*threadReading{}}
}

// nanosPerTick is the length of a clock tick in the files of /proc, which the
// kernel fixes at 100 Hz for programs.
const nanosPerTick = 10_000_000

// Read reads the times of all threads. The time of a thread that has ended since
// the last reading is the rest of what the process used.
func (t *ThreadTimes) Read() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	entries, err := os.ReadDir(t.dir + "/task")
	if err != nil {
		return err
	}
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return err
	}
	first, from, to := t.last == 0, t.last, uint64(now.Nano())
	seen := make(map[int]*threadReading, len(entries))
	for _, entry := range entries {
		id, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		old := t.threads[id]
		r, err := t.thread(entry.Name(), old)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
			continue
		} else if err != nil {
			return err
		}
		seen[id] = r
		used := threadTime{from: from, to: to, id: r.id, name: r.name}
		if used.user, used.system = r.since(old); !first {
			t.add(used)
		}
	}
	process, err := t.total()
	switch {
	case err != nil:
		return err
	case first:
		t.process = process
	default:
		t.ended(seen, threadTime{from: from, to: to}, process)
	}
	t.threads, t.last = seen, to
	return nil
}

// ended gives what the process used beyond its threads to those that have ended,
// in equal parts. The time of threads that no reading met is that of thread 0.
func (t *ThreadTimes) ended(seen map[int]*threadReading, row threadTime, process uint64) {
	const rounding = 3 * nanosPerTick // of the times of the process, and of reading later
	if process <= t.process+t.given {
		return
	}
	rest := process - t.process - t.given
	var gone []int
	for id := range t.threads {
		if seen[id] == nil {
			gone = append(gone, id)
		}
	}
	if len(gone) == 0 {
		if rest < rounding {
			return
		}
		row.user, row.name = rest, "[ended threads]"
		t.add(row)
		return
	}
	for _, id := range gone {
		row.id, row.name, row.user = t.threads[id].id, t.threads[id].name, rest/uint64(len(gone))
		t.add(row)
	}
}

// thread reads one thread. The name is read again only now and then.
func (t *ThreadTimes) thread(id string, old *threadReading) (*threadReading, error) {
	dir := t.dir + "/task/" + id
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return nil, err
	}
	r := &threadReading{}
	if r.user, r.system, err = timesOf(stat); err != nil {
		return nil, err
	}
	r.total = r.user + r.system
	if exact, err := os.ReadFile(dir + "/schedstat"); err == nil { // in nanoseconds
		if n, err := strconv.ParseUint(string(firstField(exact)), 10, 64); err == nil && n > 0 {
			r.total = n
		}
	}
	const readingsPerName = 10
	if old != nil {
		r.id = old.id
	} else if r.id, err = strconv.Atoi(id); err == nil {
		status, _ := os.ReadFile(dir + "/status")
		r.id = threadIDOf(status, r.id)
	}
	if old != nil && old.reading < readingsPerName {
		r.name, r.reading = old.name, old.reading+1
		return r, nil
	}
	name, err := os.ReadFile(dir + "/comm")
	r.name = string(bytes.TrimSuffix(name, []byte("\n")))
	return r, err
}

// threadIDOf returns the id of a thread in the namespace of its process, as events
// have it, from its status file; host is its id in the caller's namespace.
func threadIDOf(status []byte, host int) int {
	for line := range bytes.Lines(status) {
		if ids := bytes.Fields(line); len(ids) > 1 && string(ids[0]) == "NSpid:" {
			if id, err := strconv.Atoi(string(ids[len(ids)-1])); err == nil {
				return id
			}
		}
	}
	return host
}

// total is the processor time of the process, with that of ended threads.
func (t *ThreadTimes) total() (uint64, error) {
	stat, err := os.ReadFile(t.dir + "/stat")
	if err != nil {
		return 0, err
	}
	user, system, err := timesOf(stat)
	return user + system, err
}

// since returns the times since an older reading, nil for the start.
func (r *threadReading) since(old *threadReading) (user, system uint64) {
	if old == nil {
		old = &threadReading{}
	}
	if r.total <= old.total {
		return 0, 0
	}
	total := r.total - old.total
	u, s := float64(r.user), float64(r.system)
	if r.user+r.system > old.user+old.system {
		u, s = float64(r.user-min(old.user, r.user)), float64(r.system-min(old.system, r.system))
	}
	if u+s > 0 {
		system = min(total, uint64(float64(total)*s/(u+s)))
	}
	return total - system, system
}

// timesOf returns the user and the system time in a stat file, in nanoseconds.
// They are fields 14 and 15; field 2 is a name in parentheses, which may contain
// anything.
func timesOf(stat []byte) (user, system uint64, err error) {
	const utime, stime = 14 - 3, 15 - 3
	after := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(after) <= stime {
		return 0, 0, fmt.Errorf("record: a stat file of /proc has %d fields, want more than %d", len(after)+2, stime+2)
	}
	if user, err = strconv.ParseUint(string(after[utime]), 10, 64); err == nil {
		system, err = strconv.ParseUint(string(after[stime]), 10, 64)
	}
	return user * nanosPerTick, system * nanosPerTick, err
}

func firstField(b []byte) []byte {
	first, _, _ := bytes.Cut(bytes.TrimSpace(b), []byte(" "))
	return first
}
