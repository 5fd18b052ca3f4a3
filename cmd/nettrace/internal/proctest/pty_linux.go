package proctest

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// RunInTerminal runs a command whose standard output is a pseudo terminal of this many
// columns, and returns what it printed. The caller checks the exit code.
func RunInTerminal(t *testing.T, cmd *exec.Cmd, columns int) string {
	t.Helper()
	terminal, program := openTerminal(t, columns)
	defer terminal.Close()
	cmd.Stdout = program
	err := cmd.Start()
	program.Close()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(terminal)
	if err != nil && !errors.Is(err, syscall.EIO) { // EIO is the end: the command has closed it
		t.Error(err)
	}
	_ = cmd.Wait() // the caller checks the exit code
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// openTerminal opens a pseudo terminal. It returns the side of the user and that of the
// program.
func openTerminal(t *testing.T, columns int) (terminal, program *os.File) {
	t.Helper()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminal: ", err)
	}
	fd := int(terminal.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	size := unix.Winsize{Row: 50, Col: uint16(columns)}
	if err = errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0), unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &size)); err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return terminal, program
}
