//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// endGroup makes cmd.Cancel end the processes that cmd starts too.
func endGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
