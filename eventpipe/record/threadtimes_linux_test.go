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
