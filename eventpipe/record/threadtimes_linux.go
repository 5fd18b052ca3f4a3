package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/nettrace-go/nettrace/internal/timens"
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
// the last reading is the rest of what the process used. After an error, the next
// reading has the time since the last one without an error.
func (t *ThreadTimes) Read() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	ids, err := t.ids()
	if err != nil {
		return err
	}
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return err
	}
	first := t.last == 0
	if first {
		if t.ahead, err = ahead(t.dir); err != nil {
			return err
		}
	}
	from, to := t.last, uint64(now.Nano())+t.ahead
	seen := make(map[int]*threadReading, len(ids))
	var rows []threadTime
	for _, name := range ids {
		id, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		old := t.threads[id]
		r, err := t.thread(name, old)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
			continue
		} else if err != nil {
			return err
		}
		seen[id] = r
		used := threadTime{from: from, to: to, id: r.id, name: r.name}
		if used.user, used.system = r.since(old); !first && used.user+used.system > 0 {
			rows = append(rows, used)
		}
	}
	process, err := t.total()
	if err != nil {
		return err
	}
	for _, row := range rows {
		t.add(row)
	}
	if first {
		t.process = process
	} else {
		t.ended(seen, threadTime{from: from, to: to}, process)
	}
	t.threads, t.last = seen, to
	return nil
}

// ahead returns by how many nanoseconds the clock of a process is ahead of ours, which wraps
// around where it is behind: in a time namespace. Its runtime takes the times of events from it.
func ahead(dir string) (uint64, error) {
	theirs, err := timens.Of(dir)
	if err != nil {
		return 0, err
	}
	ours, err := timens.Of(filepath.Join(filepath.Dir(dir), "self"))
	return uint64(theirs.Monotonic - ours.Monotonic), err
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

// ids returns the names of the threads' folders.
func (t *ThreadTimes) ids() ([]string, error) {
	folder, err := os.Open(t.dir + "/task")
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return folder.Readdirnames(-1)
}

// thread reads one thread. A thread that has not run is the same as before: its stat is
// not read. The name is read again only now and then.
func (t *ThreadTimes) thread(id string, old *threadReading) (*threadReading, error) {
	dir := t.dir + "/task/" + id
	r := &threadReading{}
	if exact, err := t.read(dir + "/schedstat"); err == nil { // in nanoseconds
		r.total, _ = strconv.ParseUint(string(firstField(exact)), 10, 64)
	}
	if old != nil && r.total > 0 && r.total == old.total {
		r.user, r.system = old.user, old.system
	} else if err := t.readStat(dir, r); err != nil {
		return nil, err
	}
	const readingsPerName = 10
	if old != nil {
		r.id = old.id
	} else if host, err := strconv.Atoi(id); err == nil {
		status, _ := t.read(dir + "/status")
		r.id = threadIDOf(status, host)
	}
	if old != nil && old.reading < readingsPerName {
		r.name, r.reading = old.name, old.reading+1
		return r, nil
	}
	name, err := t.read(dir + "/comm")
	r.name = string(bytes.TrimSuffix(name, []byte("\n")))
	return r, err
}

// readStat sets the times of a thread that stat has. They are its total if the system has
// no exact one.
func (t *ThreadTimes) readStat(dir string, r *threadReading) error {
	stat, err := t.read(dir + "/stat")
	if err != nil {
		return err
	}
	if r.user, r.system, err = timesOf(stat); err == nil && r.total == 0 {
		r.total = r.user + r.system
	}
	return err
}

// read returns the content of a small file, which is valid until the next call. It calls
// the system directly, because package os would prepare waiting for each file.
func (t *ThreadTimes) read(path string) ([]byte, error) {
	fd, err := ignoringEINTR(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	const most = 8 << 10 // of status, with the lists of processors of a large machine
	if t.text == nil {
		t.text = make([]byte, most)
	}
	n, err := ignoringEINTR(func() (int, error) { return unix.Read(fd, t.text) })
	if err != nil {
		return nil, &os.PathError{Op: "read", Path: path, Err: err}
	}
	return t.text[:n], nil
}

func ignoringEINTR(call func() (int, error)) (n int, err error) {
	for n, err = call(); err == unix.EINTR; n, err = call() {
	}
	return n, err
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
	stat, err := t.read(t.dir + "/stat")
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
	i := 0
	for field := range bytes.FieldsSeq(stat[bytes.LastIndexByte(stat, ')')+1:]) {
		switch i {
		case utime:
			user, err = strconv.ParseUint(string(field), 10, 64)
		case stime:
			if err == nil {
				system, err = strconv.ParseUint(string(field), 10, 64)
			}
			return user * nanosPerTick, system * nanosPerTick, err
		}
		i++
	}
	return 0, 0, fmt.Errorf("record: a stat file of /proc has %d fields, want more than %d", i+2, stime+2)
}

func firstField(b []byte) []byte {
	first, _, _ := bytes.Cut(bytes.TrimSpace(b), []byte(" "))
	return first
}
