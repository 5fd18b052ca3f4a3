package record

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestThreadTimesIdle: the stat of a thread is read again only if the thread has run. The
// system may have no exact times.
func TestThreadTimesIdle(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after string // schedstat; "" for no file
		ticks         int    // of user time in the second reading
		gone          bool   // no stat in the second reading
		rows          int
		user, system  uint64 // nanoseconds of the row
		threads       int    // after the second reading
	}{
		{name: "it has not run", before: "1000000 5 1\n", after: "1000000 5 1\n", gone: true, threads: 1},
		{name: "it has run", before: "1000000 5 1\n", after: "31000000 5 1\n", ticks: 3, rows: 1, user: 30_000_000, threads: 1},
		{name: "it has ended", before: "1000000 5 1\n", after: "31000000 5 1\n", gone: true},
		{name: "no exact times", ticks: 3, rows: 1, user: 30_000_000, threads: 1},
		{name: "no exact times, it has ended", gone: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			task := filepath.Join(dir, "task", "70")
			expect.NoError(t, os.MkdirAll(task, 0o700))
			write := func(name, text string) {
				if text == "" {
					_ = os.Remove(filepath.Join(task, name))
					return
				}
				expect.NoError(t, os.WriteFile(filepath.Join(task, name), []byte(text), 0o600))
			}
			stat := func(ticks int) string { return fmt.Sprintf("70 (a b) S 1 1 1 0 -1 0 0 0 0 0 %d 0 0 0\n", ticks) }
			expect.NoError(t, os.WriteFile(filepath.Join(dir, "stat"), []byte(stat(100)), 0o600))
			write("status", "Name:\ta b\nNSpid:\t70\t7\n")
			write("comm", "a b\n")
			write("stat", stat(0))
			write("schedstat", c.before)
			times := &ThreadTimes{dir: dir, threads: map[int]*threadReading{}}
			expect.NoError(t, times.Read())
			write("schedstat", c.after)
			write("stat", stat(c.ticks))
			if c.gone {
				write("stat", "")
			}
			expect.NoError(t, times.Read())
			expect.Equal(t, "threads", times.Threads(), c.threads)
			expect.Len(t, "rows", times.rows, c.rows)
			for _, r := range times.rows {
				expect.Equal(t, "user", r.user, c.user)
				expect.Equal(t, "system", r.system, c.system)
				expect.Equal(t, "id", r.id, 7)
				expect.Equal(t, "name", r.name, "a b")
			}
		})
	}
}

// TestThreadTimesFailed: a reading that failed adds no rows; the next one has the time since
// the last complete reading.
func TestThreadTimesFailed(t *testing.T) {
	for _, c := range []struct {
		name, file string // whose text the second reading cannot read
	}{
		{"thread 70", "task/70/stat"},
		{"thread 71", "task/71/stat"},
		{"the process", "stat"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name, text string) {
				path := filepath.Join(dir, name)
				expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				expect.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			}
			threads := func(ticks int) {
				text := fmt.Sprintf("70 (a) S 1 1 1 0 -1 0 0 0 0 0 %d 0 0 0\n", ticks)
				for _, name := range []string{"stat", "task/70/stat", "task/71/stat"} {
					write(name, text)
				}
			}
			write("task/70/comm", "a\n")
			write("task/71/comm", "b\n")
			threads(1)
			times := &ThreadTimes{dir: dir, threads: map[int]*threadReading{}}
			expect.NoError(t, times.Read())
			threads(3)
			write(c.file, "")
			if times.Read() == nil {
				t.Fatal("the reading that should fail has no error")
			}
			expect.Len(t, "rows after the error", times.rows, 0)
			threads(5)
			expect.NoError(t, times.Read())
			expect.Equal(t, "time of thread 70", sumOf(times, func(r *threadTime) bool { return r.id == 70 }), 4*nanosPerTick)
			expect.Equal(t, "time of thread 71", sumOf(times, func(r *threadTime) bool { return r.id == 71 }), 4*nanosPerTick)
		})
	}
}
