package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// image makes the container image in the clone of the first build. The test of "make
// image-check" unpacks it and runs the program in a chroot, or prints why it cannot.
func (c *checker) image() error {
	d, err := c.snapshot()
	if err != nil {
		return err
	}
	args := []string{"--no-print-directory", "image-check"}
	if !c.options.all {
		fmt.Fprintln(c.out, "  this machine's processor only: with ALL=1, as every night, both, for which all packages are compiled")
		args = append(args, "IMAGE_FOR="+runtime.GOARCH)
	}
	cmd := exec.Command("make", args...)
	cmd.Dir, cmd.Env = d.dir, d.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("make image-check: %w\n%s", err, out)
	}
	fmt.Fprint(c.out, testResults(string(out)))
	info, err := os.Stat(filepath.Join(d.dir, "bin", "nettrace-image.tar"))
	if err == nil {
		c.figure("archive of the image, bytes", int(info.Size()))
	}
	return err
}

// testResults returns the lines of go test -v with the result of a test, and why one is
// skipped.
func testResults(output string) string {
	var results strings.Builder
	for line := range strings.Lines(output) {
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "--- ") || strings.Contains(text, "_test.go:") {
			results.WriteString("  " + text + "\n")
		}
	}
	return results.String()
}
