package main

import (
	"os/exec"
	"syscall"
	"testing"
)

// runIn runs the program with a folder as its root and as the user of the image, and
// returns what it prints.
func runIn(t *testing.T, root string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Err = nil // the program exists in the folder only
	cmd.Dir = "/tmp"
	cmd.Env = []string{"PATH=/usr/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s in the unpacked image: %v\n%s", program, err, out)
	}
	return string(out)
}
