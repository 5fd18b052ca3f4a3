//go:build linux

package collect_test

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/machine"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestCheckPerf: --check-perf opens the events of a recording as users with other rights: what is
// missing is said with its reason.
func TestCheckPerf(t *testing.T) {
	tier.NeedsCheck(t)
	machine.Root(t)
	permitted(t)
	if text, _ := os.ReadFile("/proc/sys/kernel/perf_event_paranoid"); strings.TrimSpace(string(text)) != "2" {
		t.Skip("kernel.perf_event_paranoid is not 2")
	}
	const (
		whole = "user code and the kernel"
		user  = "user code; kernel time is not in it: kernel.perf_event_paranoid is 2"
	)
	nobody := &syscall.Credential{Uid: 65534, Gid: 65534}
	for _, c := range []struct {
		name    string
		attr    syscall.SysProcAttr
		refused syscall.Errno // of perf_event_open, by seccomp
		locked  bool          // RLIMIT_MEMLOCK is 0
		want    string
		exit    int
	}{
		{"root", syscall.SysProcAttr{}, 0, false, whole, 0},
		{"plain user", syscall.SysProcAttr{Credential: nobody}, 0, false, user, 0},
		{"CAP_PERFMON", syscall.SysProcAttr{Credential: nobody, AmbientCaps: []uintptr{unix.CAP_PERFMON}}, 0, false, whole, 0},
		{"namespaces of users and processes", syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		}, 0, false, user, 0},
		{"no memory may be locked", syscall.SysProcAttr{Credential: nobody}, 0, true, "rings: 524.3 kB for each processor", 0},
		{"seccomp: EPERM", syscall.SysProcAttr{}, syscall.EPERM, false, "refused, as by the seccomp filter of a container", 1},
		{"seccomp: ENOSYS", syscall.SysProcAttr{}, syscall.ENOSYS, false, "perf_event_open is missing or refused by seccomp", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := programtest.LongProcess(t, "collect", "--check-perf")
			cmd.Path, cmd.SysProcAttr = "/proc/self/exe", &c.attr // its folder is closed to others
			if c.locked {
				self, err := os.Open(os.Args[0])
				expect.NoError(t, err)
				defer self.Close()
				cmd.ExtraFiles = []*os.File{self} // number 3
				cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", "ulimit -l 0; exec /proc/self/fd/3 collect --check-perf"}
			}
			out, err := outputOf(cmd, c.refused)
			code := 0
			if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
				code = failed.ExitCode()
			} else if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
				t.Skipf("the machine does not permit it: %v", err)
			} else {
				expect.NoError(t, err)
			}
			expect.Contains(t, "output", out, c.want)
			expect.Equal(t, "exit status", code, c.exit)
		})
	}
}

// outputOf runs a command, with a filter that refuses perf_event_open if an error is given.
func outputOf(cmd *exec.Cmd, refused syscall.Errno) (string, error) {
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if refused == 0 {
		err := cmd.Run()
		return out.String(), err
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlock it: the filter stays until the thread ends
		if err := refuse(unix.SYS_PERF_EVENT_OPEN, refused); err != nil {
			done <- err
			return
		}
		done <- cmd.Run() // of this thread, whose filter it inherits
	}()
	err := <-done
	return out.String(), err
}

// refuse installs a filter for this thread and what it starts: a system call fails with an error.
func refuse(call uint32, with syscall.Errno) error {
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS},                             // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: call},            // another one: skip the next line
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(with)}, // this one
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&filter)), 0, 0)
}
