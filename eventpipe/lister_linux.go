package eventpipe

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// Numbers of fields of /proc/PID/stat, as proc(5) counts them.
const (
	state     = 3
	flags     = 9
	startTime = 22
	envEnd    = 51
)

// programFields are the fields of stat that change when a process executes another
// program: the addresses of its code, data, stack, arguments and environment, which
// the system chooses at random.
var programFields = [...]int{26, 27, 28, 45, 46, 47, 48, 49, 50, envEnd}

// stat is the text of /proc/PID/stat.
type stat struct {
	name []byte
	rest [envEnd - state + 1][]byte // from the field state on
}

func parseStat(text []byte) (stat, error) {
	// The name in parentheses may hold anything.
	opens, closes := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	var s stat
	i := 0
	for field := range bytes.FieldsSeq(text[closes+1:]) {
		if i == len(s.rest) {
			break
		}
		s.rest[i] = field
		i++
	}
	if opens < 0 || closes < opens || s.field(startTime) == nil {
		return s, fmt.Errorf("got %q, expected a name in parentheses and at least %d fields", text, startTime)
	}
	s.name = text[opens+1 : closes]
	return s, nil
}

// field returns a field, nil if this system has fewer.
func (s *stat) field(number int) []byte { return s.rest[number-state] }

// isKernel reports whether this is a thread of the kernel, which runs no program.
func (s *stat) isKernel() bool {
	const kernelThread = 0x200000
	n, _ := strconv.ParseUint(string(s.field(flags)), 10, 64)
	return n&kernelThread != 0
}

// appendProgram appends a text that is another one for each process and each program
// that it executes. The name is a part of it if the addresses are hidden.
func (s *stat) appendProgram(b []byte) []byte {
	b = append(b, s.field(startTime)...)
	for _, number := range programFields {
		b = append(append(b, ' '), s.field(number)...)
	}
	if end := s.field(envEnd); end == nil || string(end) == "0" {
		b = append(b, s.name...)
	}
	return b
}

// lister lists the processes that have a port. It keeps what it has read of a process,
// so that a later list reads only the stat of it and looks for its socket.
type lister struct {
	root    string // folder of the processes: /proc
	lists   int    // number of lists so far
	kept    map[int]*keptProc
	folders map[string]folder // of ports, by path
	text    []byte            // of a stat, reused
	program []byte            // reused
}

// keptProc has what a lister keeps of a process.
type keptProc struct {
	program string   // see appendProgram; "" if the process must be read again
	folder  string   // of its port
	paths   []string // where its port can be; none for a thread of the kernel
	process *Process // nil without a port
	since   int      // number of the list that met the program first
	listed  int      // number of the last list with the process
	expires int      // number of the list that reads the process again
	looked  int      // number of the last list that read its stat
}

// folder is a folder of ports.
type folder struct {
	modified syscall.Timespec // the time of its last change; 0 for no folder
	changed  int              // number of the list that met this time first
	listed   int              // number of the last list that looked
}

func newLister() lister {
	return lister{root: "/proc", kept: map[int]*keptProc{}, folders: map[string]folder{}}
}

// keepFor is the number of lists after which a process is read again. It may have
// changed its root folder without executing another program, or have executed one
// where the system does not choose addresses at random.
const keepFor = 30

// A process that runs the same program for oldAfter lists seldom executes another one: one
// of statEvery lists reads its stat. The others find a port that it opens in the same folder.
const oldAfter, statEvery = 5, 3

// skips reports whether a process has no port, by what the last lists have read.
func (l *lister) skips(x *keptProc) bool {
	if x.process != nil || x.program == "" || x.expires <= l.lists || l.lists-x.since < oldAfter || l.lists-x.looked >= statEvery {
		return false
	}
	return x.paths == nil || l.changed(x.folder) <= x.looked
}

// changed returns the number of the list that noticed the last change of a folder. A change
// within the resolution of the file system's times is not noticed.
func (l *lister) changed(path string) int {
	f, known := l.folders[path]
	if known && f.listed == l.lists {
		return f.changed
	}
	var info syscall.Stat_t
	_, _ = ignoringEINTR(func() (int, error) { return 0, syscall.Stat(path, &info) })
	if !known || info.Mtim != f.modified {
		f = folder{modified: info.Mtim, changed: l.lists}
	}
	f.listed = l.lists
	l.folders[path] = f
	return f.changed
}

// ports lists the processes that have a port. Unlike scan it does not look for the
// reasons why others have none, so that it can be called often.
func (l *lister) ports() ([]Process, error) {
	folder, err := os.Open(l.root)
	if err != nil {
		return nil, err
	}
	names, err := folder.Readdirnames(-1)
	folder.Close()
	if err != nil {
		return nil, err
	}
	l.lists++
	var list []Process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		p, err := l.port(pid, l.root+"/"+name)
		if err != nil && !isAbsent(err) {
			return nil, err
		}
		if p != nil && err == nil {
			list = append(list, *p)
		}
	}
	for pid, x := range l.kept {
		if x.listed != l.lists {
			delete(l.kept, pid)
		}
	}
	for path, f := range l.folders {
		if l.lists-f.listed >= statEvery {
			delete(l.folders, path)
		}
	}
	return list, nil
}

// port returns the process with a folder of /proc if it has a port, nil otherwise.
func (l *lister) port(pid int, dir string) (*Process, error) {
	x, proc := l.kept[pid], (*proc)(nil)
	if x != nil && l.skips(x) {
		x.listed = l.lists
		return nil, nil
	}
	if err := l.read(dir + "/stat"); err != nil {
		return nil, err
	}
	s, err := parseStat(l.text)
	if err != nil {
		return nil, fmt.Errorf("%s/stat: %w", dir, err)
	}
	if string(s.field(state)) == "Z" { // a killed process leaves its socket
		return nil, nil
	}
	// The files are read after stat: if the program changes between, the next list reads
	// the files again.
	l.program = s.appendProgram(l.program[:0])
	if x == nil || x.program != string(l.program) || x.expires <= l.lists {
		if x, proc, err = l.keep(x, pid, dir, &s); err != nil {
			return nil, err
		}
		l.kept[pid] = x
	}
	x.listed, x.looked = l.lists, l.lists
	if x.paths == nil {
		return nil, nil
	}
	l.changed(x.folder) // before the look, so that a later change is one
	path, err := firstSocket(x.paths)
	if err != nil {
		x.process = nil
	} else if x.process == nil || x.process.Address != path {
		if proc == nil { // what it was before its port is not kept
			proc, err = readFiles(dir, pid, &s)
		}
		if err != nil {
			return nil, err
		}
		x.process = &Process{PID: pid, NSPID: proc.nspid, UID: proc.uid, Root: proc.root, Address: path}
		proc.describe(x.process)
	}
	if proc != nil && proc.partial {
		x.program = ""
	}
	return x.process, nil
}

// keep reads the files of a process. old is what is kept of it, nil for nothing.
func (l *lister) keep(old *keptProc, pid int, dir string, s *stat) (*keptProc, *proc, error) {
	x := &keptProc{program: string(l.program), expires: l.lists + keepFor, since: l.lists}
	if old != nil && old.program == x.program {
		x.since = old.since
	}
	if s.isKernel() {
		return x, nil, nil
	}
	p, err := readFiles(dir, pid, s)
	if err != nil {
		return nil, nil, err
	}
	x.folder = p.folder()
	x.paths = socketPaths(x.folder, p.nspid, p.keys...)
	return x, p, nil
}

// readFiles is like readRest. Its error is one after which the process may still run.
func readFiles(dir string, pid int, s *stat) (*proc, error) {
	x := readRest(dir, pid, s)
	if x.hidden != nil && !isAbsent(x.hidden) {
		return nil, x.hidden
	}
	return x, nil
}

// read reads a file of at most a few kB into l.text. It opens the file without the
// system calls of package os that prepare waiting.
func (l *lister) read(path string) error {
	fd, err := ignoringEINTR(func() (int, error) { return syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	const most = 4096
	if cap(l.text) < most {
		l.text = make([]byte, most)
	}
	n, err := ignoringEINTR(func() (int, error) { return syscall.Read(fd, l.text[:most]) })
	if err != nil {
		return &os.PathError{Op: "read", Path: path, Err: err}
	}
	l.text = l.text[:n]
	return nil
}
