package eventpipe

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// proc has the values of a process that /proc reports.
type proc struct {
	dir     string // /proc/PID
	state   string // R, S, D, T, t or Z
	nspid   int
	uid     int
	keys    []string // its start time in the clock ticks of stat, as it reads it: see startTimes
	unclear error    // why its start time may be another one
	environ []string
	hidden  error  // why the environment cannot be read
	root    string // where its file system begins for us; "" when unknown
	partial bool   // a file could not be read for a reason that may pass, such as EMFILE
}

// look finds out about one process.
func look(pid int) Process {
	p := Process{PID: pid, NSPID: pid, UID: -1}
	x, err := readProc(pid)
	if err != nil {
		p.Err = &UnreachableError{PID: pid, Reason: missing(pid, err), Err: err}
		return p
	}
	p.NSPID, p.UID, p.Root = x.nspid, x.uid, x.root
	path, err := socketIn(x.folder(), x.nspid, x.keys...)
	if err != nil {
		dotnet, known := x.isDotNet()
		p.Err, p.doubtful = x.why(pid, err, known), !known
		if known && !dotnet {
			p.Err = &UnreachableError{PID: pid, Reason: NotDotNet}
			return p
		}
	}
	p.Address = path
	x.describe(&p)
	return p
}

// describe sets what /proc reports about a process besides its port.
func (x *proc) describe(p *Process) {
	p.CommandLine = splitNUL(x.read("cmdline"))
	p.Name = x.name(p.CommandLine)
	p.environ = x.environ
	cgroup := x.read("cgroup")
	if p.Container, p.Pod = containerID(cgroup), podUID(cgroup); p.Container == "" || p.Pod == "" {
		mounts := containerMounts(x.read("mountinfo")) // a private cgroup namespace hides both
		p.Container, p.Pod = cmp.Or(p.Container, mountedContainer(mounts)), cmp.Or(p.Pod, mountedPod(mounts))
	}
}

// isAbsent reports whether an error of reading a process's files is of a process that has
// ended or is hidden. After another one, such as EMFILE, the process may still run.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) || errors.Is(err, fs.ErrPermission)
}

// missing distinguishes a process that does not exist from one that is hidden, and from one
// whose files cannot be read now, by the error of reading them.
func missing(pid int, err error) Reason {
	switch {
	case pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.EPERM):
		return PermissionDenied
	case !isAbsent(err):
		return Unreadable
	}
	return NoProcess
}

func readProc(pid int) (*proc, error) {
	dir := fmt.Sprintf("/proc/%d", pid)
	text, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return nil, err
	}
	s, err := parseStat(text)
	if err != nil {
		return nil, fmt.Errorf("%s/stat: %w", dir, err)
	}
	return readRest(dir, pid, &s), nil
}

// readRest reads the other files of the process whose stat has been read.
func readRest(dir string, pid int, s *stat) *proc {
	x := &proc{dir: dir, nspid: pid, uid: -1, state: string(s.field(state))}
	x.keys, x.unclear = startTimes(dir, string(s.field(startTime)))
	for line := range strings.Lines(string(x.read("status"))) {
		name, values, _ := strings.Cut(line, ":")
		if list := strings.Fields(values); len(list) > 0 {
			x.status(name, list)
		}
	}
	environ, err := os.ReadFile(x.dir + "/environ")
	x.environ, x.hidden = splitNUL(environ), err
	x.root = x.findRoot()
	return x
}

func (x *proc) status(name string, values []string) {
	switch name {
	case "Uid":
		x.uid, _ = strconv.Atoi(values[0])
	case "NSpid": // one number for each namespace, the innermost last
		x.nspid, _ = strconv.Atoi(values[len(values)-1])
	}
}

func (x *proc) read(file string) []byte {
	text, err := os.ReadFile(filepath.Join(x.dir, file))
	x.partial = x.partial || err != nil && !isAbsent(err)
	return text
}

// findRoot returns "/" when the process sees the same files as this one, and
// otherwise its root in /proc. It returns "" when the access is denied.
func (x *proc) findRoot() string {
	theirs, err := os.Readlink(x.dir + "/ns/mnt")
	if err != nil {
		return ""
	}
	ours, _ := os.Readlink(filepath.Join(filepath.Dir(x.dir), "self/ns/mnt"))
	if root, _ := os.Readlink(x.dir + "/root"); theirs == ours && root == "/" {
		return "/"
	}
	return x.dir + "/root"
}

func (x *proc) variable(name string) string {
	for _, kv := range x.environ {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// tmpdir returns the temporary folder as the process sees it. When its
// environment is hidden, tmpdir assumes that of this process.
func (x *proc) tmpdir() string {
	if x.hidden != nil {
		return os.TempDir()
	}
	if dir := x.variable("TMPDIR"); dir != "" {
		return dir
	}
	return "/tmp"
}

// folder is the temporary folder as we reach it.
func (x *proc) folder() string {
	dir := x.tmpdir()
	if !filepath.IsAbs(dir) {
		return filepath.Join(x.dir, "cwd", dir)
	}
	return filepath.Join(x.root, dir)
}

// why returns the reason why the port is missing. known reports that this is a
// .NET process.
func (x *proc) why(pid int, err error, known bool) *UnreachableError {
	path := filepath.Join(x.tmpdir(), fmt.Sprintf(socketForms[len(socketForms)-1], x.nspid, x.keys[0]))
	e := &UnreachableError{PID: pid, Reason: NoSocket, Path: path, Err: err, Detail: stale(x.folder(), x.nspid)}
	switch {
	case x.hidden != nil && x.uid == os.Getuid() && !known:
		return &UnreachableError{PID: pid, Reason: Unreadable, Err: x.hidden}
	case x.hidden != nil && x.uid == os.Getuid():
		e.Reason = OtherTMPDIR
	case x.hidden != nil, errors.Is(err, fs.ErrPermission):
		e.Reason, e.Detail = PermissionDenied, fmt.Sprintf("it runs as user %d", x.uid)
		if x.nspid != pid {
			e.Reason, e.Detail = OtherNamespace, fmt.Sprintf("its own number for itself is %d", x.nspid)
		}
	case x.off() != "":
		e.Reason, e.Detail = Disabled, "by "+x.off()
	case x.unclear != nil:
		e.Detail = "its name has the start time, which differs in a time namespace: " + x.unclear.Error()
	case len(path) > maxSocketPath:
		e.Reason, e.Detail = PathTooLong, fmt.Sprintf("%s has %d bytes", path, len(path))
	}
	return e
}

// off returns the variable that disables the port, or "".
func (x *proc) off() string {
	for _, prefix := range []string{"DOTNET_", "COMPlus_"} {
		for _, name := range []string{"EnableDiagnostics", "EnableDiagnostics_IPC"} {
			if value := x.variable(prefix + name); value != "" && strings.Trim(value, "0") == "" {
				return prefix + name + "=" + value
			}
		}
	}
	return ""
}

// dotnetFiles are mapped into the processes of runtimes that do not name their
// threads, and of all others too.
var dotnetFiles = []string{"/libcoreclr.so", "/libmonosgen", "/System.Private.CoreLib.dll", "/memfd:doublemapper"}

// isDotNet looks for signs of a runtime: threads that are called ".NET ...",
// which all users may read, and the files it has mapped. When there are no such
// threads and the files cannot be read, it is not known.
func (x *proc) isDotNet() (dotnet, known bool) {
	threads, _ := filepath.Glob(x.dir + "/task/*/comm")
	for _, file := range threads {
		if name, _ := os.ReadFile(file); bytes.HasPrefix(name, []byte(".NET ")) {
			return true, true
		}
	}
	maps, err := os.ReadFile(x.dir + "/maps")
	mapped := func(file string) bool { return bytes.Contains(maps, []byte(file)) }
	return slices.ContainsFunc(dotnetFiles, mapped), err == nil
}

// name returns the base name of the program's file, or the name of the process.
func (x *proc) name(args []string) string {
	if exe, err := os.Readlink(x.dir + "/exe"); err == nil {
		return strings.TrimSuffix(filepath.Base(exe), " (deleted)")
	}
	if len(args) > 0 && args[0] != "" {
		return filepath.Base(args[0])
	}
	return strings.TrimSpace(string(x.read("comm")))
}

// scan examines all processes, and then the ports in this process's temporary
// folder.
func scan() ([]Process, error) {
	list, err := lookAtAll()
	if err != nil {
		return nil, err
	}
	return append(list, sockets(list)...), nil
}

// lookAtAll examines all processes.
func lookAtAll() ([]Process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var list []Process
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			list = append(list, look(pid))
		}
	}
	return list, nil
}

var hexID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9a-f]{64}`) })

// containerID is the id that container runtimes put into the name of a cgroup.
func containerID(cgroup []byte) string { return string(hexID().Find(cgroup)) }

// Kubernetes puts the uid of a pod into the names of cgroups, where systemd has _
// for -, and into the paths of mounts; container runtimes do so with the id.
var (
	podCgroup       = pattern(`pod([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})`)
	podMount        = pattern(`/pods/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/`)
	containersMount = pattern(`/(?:containers|sandboxes|overlay-containers)/([0-9a-f]{64})/`)
)

func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// podUID is the uid of a pod in the names of cgroups of version 1 or 2.
func podUID(cgroup []byte) string {
	return strings.ReplaceAll(firstGroup(podCgroup(), cgroup), "_", "-")
}

// containerMounts returns the lines of mountinfo with the files that runtimes mount
// into each container. The system itself has mounts of all containers, elsewhere.
func containerMounts(mountinfo []byte) []byte {
	var lines []byte
	for line := range bytes.Lines(mountinfo) {
		const mountPoint = 4
		fields := bytes.Fields(line)
		if len(fields) <= mountPoint {
			continue
		}
		switch string(fields[mountPoint]) {
		case "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/dev/termination-log":
			lines = append(lines, line...)
		}
	}
	return lines
}

func mountedPod(mounts []byte) string { return firstGroup(podMount(), mounts) }

func mountedContainer(mounts []byte) string { return firstGroup(containersMount(), mounts) }

func firstGroup(r *regexp.Regexp, text []byte) string {
	if found := r.FindSubmatch(text); found != nil {
		return string(found[1])
	}
	return ""
}

func splitNUL(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
}
