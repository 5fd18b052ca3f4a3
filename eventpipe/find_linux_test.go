package eventpipe_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/machine"
)

// in starts a role with a temporary folder of its own.
func in(t *testing.T, role, tmp string, more ...string) *exec.Cmd {
	cmd := self(role)
	cmd.Env = append(append(cmd.Env, "TMPDIR="+tmp), more...)
	return start(t, cmd)
}

// leave makes a socket that nobody listens to.
func leave(t *testing.T, dir string, pid int, key string) string {
	t.Helper()
	r := eventpipetest.Start(t, eventpipetest.Config{Dir: dir, PID: pid, Key: key})
	r.Kill()
	return r.Address()
}

// TestFind: the port is in the target's temporary folder. Its key distinguishes
// it from those of earlier processes, even if their files are newer.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	cmd := in(t, "port", dir)
	pid := cmd.Process.Pid
	old := leave(t, dir, pid, "1")
	if err := os.Chtimes(old, time.Now().Add(time.Hour), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	p, err := eventpipe.Find(pid)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "p.PID", p.PID, pid)
	expect.Equal(t, "p.NSPID", p.NSPID, pid)
	expect.Equal(t, "p.Root", p.Root, "/")
	expect.Equal(t, "p.UID", p.UID, os.Getuid())
	expect.Equal(t, "filepath.Dir(p.Address)", filepath.Dir(p.Address), dir)
	if p.Address == old {
		t.Errorf("p.Address: got %v, want another value than %v", p.Address, old)
	}
	if p.Name != filepath.Base(os.Args[0]) || !slices.Equal(p.CommandLine, []string{os.Args[0]}) {
		t.Errorf("it is called %q %q", p.Name, p.CommandLine)
	}
	if info, err := p.Client().ProcessInfo(t.Context()); err != nil || info.PID != pid {
		t.Error(info, err)
	}
	list, err := eventpipe.Processes()
	if err != nil || !slices.ContainsFunc(list, func(q eventpipe.Process) bool { return q.PID == pid && q.Address == p.Address && q.Err == nil }) {
		t.Errorf("not listed: %v", err)
	}
	expect.Equal(t, "is in Unreachable", isUnreachable(t, pid), false)
	cmd.Process.Kill()
	cmd.Process.Wait()
	_, err = eventpipe.Find(pid)
	wantReason(t, err, eventpipe.NoProcess)
}

// isUnreachable reports whether Unreachable lists a process.
func isUnreachable(t *testing.T, pid int) bool {
	t.Helper()
	list, err := eventpipe.Unreachable()
	expect.NoError(t, err)
	return slices.ContainsFunc(list, func(p eventpipe.Process) bool { return p.PID == pid })
}

// TestReasons: each reason why a process is unreachable.
func TestReasons(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 80))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	stale := t.TempDir()
	for _, c := range []struct {
		name, role, tmp string
		more            string
		want            eventpipe.Reason
		text            string
	}{
		{"other", "other", t.TempDir(), "", eventpipe.NotDotNet, ""},
		{"no-socket", "threads", t.TempDir(), "", eventpipe.NoSocket, "a program that cleans its temporary folder removed the socket"},
		{"stale", "threads", stale, "", eventpipe.NoSocket, "earlier process"},
		{"off", "threads", t.TempDir(), "DOTNET_EnableDiagnostics=0", eventpipe.Disabled, "DOTNET_EnableDiagnostics=0"},
		{"off-old", "threads", t.TempDir(), "COMPlus_EnableDiagnostics=0", eventpipe.Disabled, "COMPlus_"},
		{"off-port", "threads", t.TempDir(), "DOTNET_EnableDiagnostics_IPC=0", eventpipe.Disabled, "_IPC=0"},
		{"on", "threads", t.TempDir(), "DOTNET_EnableDiagnostics=1", eventpipe.NoSocket, ""},
		{"too-long", "threads", long, "", eventpipe.PathTooLong, "bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pid := in(t, c.role, c.tmp, c.more).Process.Pid
			if c.name == "stale" {
				leave(t, stale, pid, "1")
			}
			_, err := eventpipe.Find(pid)
			wantReason(t, err, c.want)
			if err != nil && !strings.Contains(err.Error(), c.text) {
				t.Errorf("the error is %v", err)
			}
			list, _ := eventpipe.Processes()
			listed := slices.ContainsFunc(list, func(p eventpipe.Process) bool { return p.PID == pid && p.Err != nil })
			if listed != (c.want != eventpipe.NotDotNet) {
				t.Errorf("listed: %v", listed)
			}
			expect.Equal(t, "is in Unreachable", isUnreachable(t, pid), c.want != eventpipe.NotDotNet)
		})
	}
	_, err := eventpipe.Find(0)
	wantReason(t, err, eventpipe.NoProcess)
	_, err = eventpipe.Find(1 << 30)
	wantReason(t, err, eventpipe.NoProcess)
}

// TestSharedFolder: a runtime of which only the port is visible, in a folder that
// a container shares with this process.
func TestSharedFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	r := eventpipetest.Start(t, eventpipetest.Config{Dir: dir, PID: 1 << 29, Key: "7"})
	leave(t, dir, 1<<28, "7")
	list, err := eventpipe.Processes()
	if err != nil {
		t.Fatal(err)
	}
	list = slices.DeleteFunc(list, func(p eventpipe.Process) bool { return filepath.Dir(p.Address) != dir })
	expect.Len(t, "list", list, 1)
	expect.Equal(t, "list[0].Address", list[0].Address, r.Address())
	expect.Equal(t, "list[0].NSPID", list[0].NSPID, 1<<29)
	expect.Equal(t, "list[0].PID", list[0].PID, os.Getpid())
}

// TestNamed selects processes by the program or by the assembly that the host
// runs.
func TestNamed(t *testing.T) {
	list := []eventpipe.Process{
		{PID: 1, Name: "app"}, {PID: 2, Name: "dotnet", CommandLine: []string{"dotnet", "exec", "/x/app.dll", "other.dll"}},
		{PID: 3, Name: "dotnet"}, {PID: 4, Name: "tool", CommandLine: []string{"tool", "app.dll"}}, {PID: 5, Name: "App"},
	}
	for name, want := range map[string][]int{"app": {1, 2}, "dotnet": {2, 3}, "other": nil, "tool": {4}, "APP": {1, 2, 5}, "App": {5}} {
		t.Run(name, func(t *testing.T) {
			var got []int
			for _, p := range eventpipe.Named(list, name) {
				got = append(got, p.PID)
			}
			if !slices.Equal(got, want) {
				t.Error(got)
			}
		})
	}
}

// TestContainer: a process in namespaces of its own, with a temporary folder that
// no other process sees.
func TestContainer(t *testing.T) {
	cmd := self("container")
	cmd.Env = append(cmd.Env, "TMPDIR="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS}
	machine.Namespaces(t)
	start(t, cmd)
	pid := cmd.Process.Pid
	p, err := eventpipe.Find(pid)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "p.PID", p.PID, pid)
	expect.Equal(t, "p.NSPID", p.NSPID, 1)
	expect.Equal(t, "p.Root", p.Root, fmt.Sprintf("/proc/%d/root", pid))
	if !strings.HasPrefix(p.Address, p.Root) {
		t.Errorf("p.Address: got %q, want the prefix %q", p.Address, p.Root)
	}
	info, err := p.Client().ProcessInfo(t.Context())
	if err != nil || info.PID != 1 {
		t.Errorf("%+v, %v", info, err)
	}
	wantAsNobody(t, pid, eventpipe.OtherNamespace)
}

// TestTimeNamespace: the name of a port has the start time as its process reads it.
func TestTimeNamespace(t *testing.T) {
	machine.TimeNamespaces(t)
	port := self("port")
	cmd := exec.Command("unshare", append([]string{"--time", "--boottime", "100000", "--fork", "--kill-child"}, port.Args...)...)
	cmd.Env = append(port.Env, "TMPDIR="+t.TempDir())
	start(t, cmd)
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", cmd.Process.Pid))
	expect.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(children)))
	expect.NoError(t, err)
	p, err := eventpipe.Find(pid)
	expect.NoError(t, err)
	info, err := p.Client().ProcessInfo(t.Context())
	expect.NoError(t, err)
	expect.Equal(t, "PID of the answer", info.PID, pid)
	list, err := eventpipe.Processes()
	expect.NoError(t, err)
	list = slices.DeleteFunc(list, func(p eventpipe.Process) bool { return p.PID != pid })
	expect.Len(t, "listed", list, 1)
	expect.NoError(t, list[0].Err)
}

// TestOtherUser: the ports of others are closed to us.
func TestOtherUser(t *testing.T) {
	machine.Root(t)
	wantAsNobody(t, in(t, "threads", t.TempDir()).Process.Pid, eventpipe.PermissionDenied)
	r := eventpipetest.Start(t, eventpipetest.Config{})
	if err := os.Chmod(filepath.Dir(r.Address()), 0o755); err != nil {
		t.Fatal(err)
	}
	out := runAsNobody(t, "EVENTPIPE_TEST_PORT="+r.Address())
	if !strings.Contains(out, eventpipe.PermissionDenied.String()) {
		t.Errorf("the port of another user: %s", out)
	}
}

func wantAsNobody(t *testing.T, pid int, want eventpipe.Reason) {
	t.Helper()
	if out := runAsNobody(t, "EVENTPIPE_TEST_PID="+strconv.Itoa(pid)); !strings.Contains(out, want.String()) {
		t.Errorf("as another user: %s, want %q", out, want)
	}
}

// runAsNobody finds a process or connects to a port as a user without rights.
func runAsNobody(t *testing.T, what string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "test")
	data, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(program, data, 0o755)
	}
	if err == nil { // the test's folder and that of all its folders
		err = errors.Join(os.Chmod(filepath.Dir(program), 0o755), os.Chmod(filepath.Dir(filepath.Dir(program)), 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Dir = "/"
	cmd.Env = []string{"EVENTPIPE_TEST_ROLE=ask", what}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// enterContainer hides the temporary folder of a process from all others.
func enterContainer() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", os.TempDir(), "tmpfs", 0, ""); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "proc")
	if err != nil {
		return err
	}
	if err := syscall.Mount("proc", dir, "proc", 0, ""); err != nil {
		return err
	}
	return syscall.Mount(dir, "/proc", "", syscall.MS_MOVE, "")
}
