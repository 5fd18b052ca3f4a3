package eventpipe

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// fakeProc is a folder with the files of processes as /proc has them, and a temporary
// folder of these processes.
type fakeProc struct {
	t         *testing.T
	root, tmp string
	lister    lister
	opened    int // file descriptor that reports the files that are opened
}

func newFakeProc(t *testing.T) *fakeProc {
	root, err := os.MkdirTemp("", "look") // a short name: a socket's has at most 107 bytes
	expect.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(root) })
	f := &fakeProc{t: t, root: root, tmp: filepath.Join(root, "tmp"), lister: newLister()}
	f.lister.root = root
	f.opened, err = syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	expect.NoError(t, err)
	t.Cleanup(func() { syscall.Close(f.opened) })
	for _, dir := range []string{"tmp", "self/ns"} {
		expect.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o700))
	}
	expect.NoError(t, os.Symlink("mnt:[1]", filepath.Join(root, "self/ns/mnt")))
	return f
}

// run adds a process, or replaces it with another one or by another program.
func (f *fakeProc) run(pid int, startTime, program, tmp string) {
	dir := filepath.Join(f.root, fmt.Sprint(pid))
	expect.NoError(f.t, os.RemoveAll(dir))
	expect.NoError(f.t, os.MkdirAll(filepath.Join(dir, "ns"), 0o700))
	expect.NoError(f.t, os.Symlink("mnt:[1]", filepath.Join(dir, "ns/mnt")))
	expect.NoError(f.t, os.Symlink("/", filepath.Join(dir, "root")))
	expect.NoError(f.t, os.Symlink("/bin/"+program, filepath.Join(dir, "exe")))
	f.setStat(pid, "S", "0", startTime, fmt.Sprint(len(program)+len(tmp)))
	for name, text := range map[string]string{
		"status": fmt.Sprintf("Uid:\t7\t7\nNSpid:\t%d\n", pid), "environ": "TMPDIR=" + tmp + "\x00", "cmdline": program + "\x00", "cgroup": "", "mountinfo": "",
	} {
		expect.NoError(f.t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	_, err := syscall.InotifyAddWatch(f.opened, dir, syscall.IN_OPEN)
	expect.NoError(f.t, err)
}

// setStat writes the stat of a process, with the address of the end of its environment.
func (f *fakeProc) setStat(pid int, state, flags, startTime, envEnd string) {
	fields := strings.Fields(strings.Repeat("0 ", 50))
	fields[0], fields[6], fields[19], fields[48] = state, flags, startTime, envEnd
	text := fmt.Sprintf("%d (a ) name) %s\n", pid, strings.Join(fields, " "))
	expect.NoError(f.t, os.WriteFile(filepath.Join(f.root, fmt.Sprint(pid), "stat"), []byte(text), 0o600))
}

// listen makes the port of a process.
func (f *fakeProc) listen(tmp string, pid int, key string) (path string) {
	path = filepath.Join(tmp, fmt.Sprintf("dotnet-diagnostic-%d-%s-socket", pid, key))
	l, err := net.Listen("unix", path)
	expect.NoError(f.t, err)
	f.t.Cleanup(func() { l.Close() })
	return path
}

// look returns the names of the programs that have ports, and which files of processes
// it opened.
func (f *fakeProc) look() (programs, opened string) {
	f.files()
	list, err := f.lister.ports()
	expect.NoError(f.t, err)
	for _, p := range list {
		programs += p.Name + " "
	}
	return strings.TrimSpace(programs), f.files()
}

// files returns the names of the files that were opened since the last call.
func (f *fakeProc) files() string {
	var names []string
	buffer := make([]byte, 1<<16)
	for {
		n, err := syscall.Read(f.opened, buffer)
		if err != nil {
			return strings.Join(names, " ")
		}
		for b := buffer[:n]; len(b) > 0; {
			e := (*syscall.InotifyEvent)(unsafe.Pointer(&b[0]))
			if e.Mask&syscall.IN_OPEN != 0 && e.Len > 0 {
				names = append(names, string(bytes.TrimRight(b[syscall.SizeofInotifyEvent:][:e.Len], "\x00")))
			}
			b = b[syscall.SizeofInotifyEvent+e.Len:]
		}
	}
}

// TestLister: a second list of processes that did not change opens only the stat of
// each. It reads a process again that executes another program or has another start
// time, and finds a port that is opened later.
func TestLister(t *testing.T) {
	f := newFakeProc(t)
	const first = "stat status environ"
	other := filepath.Join(f.root, "other")
	expect.NoError(t, os.Mkdir(other, 0o700))
	described := first + " cmdline cgroup mountinfo"
	for _, c := range []struct {
		name             string
		change           func()
		programs, opened string
	}{
		{"a program", func() { f.run(7, "70", "sh", f.tmp) }, "", first},
		{"no change", func() {}, "", "stat"},
		{"another program in its place", func() { f.run(7, "70", "shop", f.tmp) }, "", first},
		{"no change of that", func() {}, "", "stat"},
		{"its port is opened later", func() { f.listen(f.tmp, 7, "70") }, "shop", "stat status environ cmdline cgroup mountinfo"},
		{"no change with a port", func() {}, "shop", "stat"},
		{"another program with that port", func() { f.run(7, "70", "basket", f.tmp) }, "basket", described},
		{"another process with its PID", func() { f.run(7, "71", "basket", f.tmp) }, "", first},
		{"the same program with another folder", func() { f.run(7, "71", "basket", other); f.listen(other, 7, "71") }, "basket", described},
		{"a thread of the kernel", func() { f.run(8, "80", "", f.tmp); f.setStat(8, "S", fmt.Sprint(0x200040), "80", "0") }, "basket", "stat stat"},
		{"it has ended", func() { f.setStat(7, "Z", "0", "71", "0") }, "", "stat stat"},
		{"no process", func() { os.RemoveAll(filepath.Join(f.root, "7")); os.RemoveAll(filepath.Join(f.root, "8")) }, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.change()
			programs, opened := f.look()
			expect.Equal(t, "programs with ports", programs, c.programs)
			expect.Equal(t, "opened files", opened, c.opened)
		})
	}
	expect.Equal(t, "kept processes", len(f.lister.kept), 0)
}

// TestListerTimeNamespace: the start time in the name of a port is that of the time namespace
// of the process, by the difference to ours. A difference that is no number of clock ticks
// leaves two.
func TestListerTimeNamespace(t *testing.T) {
	for _, c := range []struct{ name, own, theirs, key string }{
		{"ours is another one", "0 0", "100000 0", "10000070"},
		{"earlier", "0 0", "-1 500000000", "20"},
		{"both are the same", "100000 0", "100000 0", "70"},
		{"ours is ahead", "5 0", "0 0", "-430"},
		{"a part of a tick, rounded down", "0 0", "1 5000000", "170"},
		{"a part of a tick, rounded up", "0 0", "1 5000000", "171"},
		{"earlier by a part of a tick", "0 0", "-1 995000000", "69"},
		{"not known", "0 0", "soon", "70"},
	} {
		f := newFakeProc(t)
		f.run(7, "70", "sh", f.tmp)
		for dir, offset := range map[string]string{"self": c.own, "7": c.theirs} {
			expect.NoError(t, os.WriteFile(filepath.Join(f.root, dir, "timens_offsets"), []byte("boottime "+offset+"\n"), 0o600))
		}
		f.listen(f.tmp, 7, c.key)
		programs, _ := f.look()
		expect.Equal(t, c.name, programs, "sh")
	}
}

// TestListerReadsAgain: a process is read again after keepFor lists, and in the next
// list after an error that may pass.
func TestListerReadsAgain(t *testing.T) {
	f := newFakeProc(t)
	f.run(7, "70", "sh", f.tmp)
	for i := range 2 * keepFor {
		_, opened := f.look()
		expect.Equal(t, fmt.Sprint("list ", i, " reads all"), opened == "stat status environ", i%keepFor == 0)
	}
	status := filepath.Join(f.root, "7/status")
	expect.NoError(t, os.Remove(status))
	expect.NoError(t, os.Mkdir(status, 0o700)) // reading it fails with EISDIR
	for range 2 {
		_, opened := f.look()
		expect.Equal(t, "opened files", opened, "stat status environ")
	}
}

// TestListerOld: of a process that has been running the same program for some lists, one
// of three lists opens stat. The others find its port in the same folder; the third one
// finds another program or process.
func TestListerOld(t *testing.T) {
	const oldSocket, allFiles = "stat status environ cmdline cgroup mountinfo", "stat status environ"
	for _, c := range []struct {
		name   string
		change func(f *fakeProc)
		opened [3]string // in the lists after the change
		found  [3]string
	}{
		{name: "no change", opened: [3]string{"", "", "stat"}},
		{name: "its port is opened", change: func(f *fakeProc) { f.listen(f.tmp, 7, "70") },
			opened: [3]string{oldSocket, "stat", "stat"}, found: [3]string{"sh", "sh", "sh"}},
		{name: "the port of another process", change: func(f *fakeProc) { f.listen(f.tmp, 8, "80") }, opened: [3]string{"stat", "", ""}},
		{name: "another program with its port", change: func(f *fakeProc) { f.run(7, "70", "shop", f.tmp); f.listen(f.tmp, 7, "70") },
			opened: [3]string{oldSocket, "stat", "stat"}, found: [3]string{"shop", "shop", "shop"}},
		{name: "another program with its port elsewhere", change: func(f *fakeProc) {
			other := filepath.Join(f.root, "other")
			expect.NoError(f.t, os.Mkdir(other, 0o700))
			f.run(7, "70", "shop", other)
			f.listen(other, 7, "70")
		}, opened: [3]string{"", "", oldSocket}, found: [3]string{"", "", "shop"}},
		{name: "another process with its PID", change: func(f *fakeProc) { f.run(7, "71", "shop", f.tmp) }, opened: [3]string{"", "", allFiles}},
		{name: "no folder of ports", change: func(f *fakeProc) { expect.NoError(f.t, os.RemoveAll(f.tmp)) }, opened: [3]string{"stat", "", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFakeProc(t)
			f.run(7, "70", "sh", f.tmp)
			for range oldAfter {
				f.look()
			}
			// The change has another time than the last look, also where times are coarse.
			expect.NoError(t, os.Chtimes(f.tmp, time.Time{}, time.Unix(1, 0)))
			_, opened := f.look()
			expect.Equal(t, "opened files before the change", opened, "stat")
			if c.change != nil {
				c.change(f)
			}
			for i := range statEvery {
				programs, opened := f.look()
				expect.Equal(t, fmt.Sprint("opened files of list ", i), opened, c.opened[i])
				expect.Equal(t, fmt.Sprint("programs with ports of list ", i), programs, c.found[i])
			}
		})
	}
}

// TestListerKernel: one of three lists opens the stat of a thread of the kernel.
func TestListerKernel(t *testing.T) {
	f := newFakeProc(t)
	f.run(7, "70", "", f.tmp)
	f.setStat(7, "S", fmt.Sprint(0x200040), "70", "0")
	for i := range oldAfter {
		_, opened := f.look()
		expect.Equal(t, fmt.Sprint("opened files of list ", i), opened, "stat")
	}
	for i := range 3 * statEvery {
		want := ""
		if i%statEvery == statEvery-1 {
			want = "stat"
		}
		_, opened := f.look()
		expect.Equal(t, fmt.Sprint("opened files of later list ", i), opened, want)
	}
}

// TestProgramOfStat: the name is a part of the program's text only where the addresses
// are hidden, because a program can change its name.
func TestProgramOfStat(t *testing.T) {
	text := func(name, end string) string {
		fields := strings.Fields(strings.Repeat("0 ", 50))
		fields[48] = end
		s, err := parseStat([]byte("7 (" + name + ") " + strings.Join(fields, " ")))
		expect.NoError(t, err)
		return string(s.appendProgram(nil))
	}
	expect.Equal(t, "another name is another program", text("a", "9") != text("b", "9"), false)
	expect.Equal(t, "another name with hidden addresses is another program", text("a", "0") != text("b", "0"), true)
	_, err := parseStat([]byte("7 (a) S 1 2"))
	expect.Equal(t, "a stat with few fields is an error", err != nil, true)
}

func BenchmarkLister(b *testing.B) {
	l := newLister()
	b.ReportAllocs()
	for b.Loop() {
		l.ports()
	}
}
