package proctest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/machine"
)

// Tmux is a terminal in which a command runs.
type Tmux struct {
	t      *testing.T
	socket string
}

// StartTmux runs a command in a terminal of a size. After the command the terminal shows
// "exit code N" and the settings of the terminal. It skips the test if tmux is missing.
func StartTmux(t *testing.T, cmd *exec.Cmd, width, height int) *Tmux {
	t.Helper()
	machine.Program(t, "tmux")
	m := &Tmux{t: t, socket: filepath.Join(t.TempDir(), "tmux")}
	words := []string{"exec", "env", "-u", "TMUX"}
	for _, variable := range cmd.Env {
		if !strings.HasPrefix(variable, "TERM=") || variable == "TERM=dumb" {
			words = append(words, quote(variable))
		}
	}
	words[0] = ""
	for _, word := range cmd.Args {
		words = append(words, quote(word))
	}
	script := strings.Join(words, " ") + "; echo exit code $?; stty -a; exec sleep 1000"
	m.tmux("-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height), script)
	t.Cleanup(func() { m.tmux("kill-server") })
	return m
}

// quote returns a word for the shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// tmux runs a command of tmux and returns its output.
func (m *Tmux) tmux(args ...string) string {
	m.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-u", "-S", m.socket}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %s: %v %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Press presses keys, by their names in tmux: a, Enter, Up, PPage, C-c.
func (m *Tmux) Press(keys ...string) {
	m.t.Helper()
	m.tmux(append([]string{"send-keys"}, keys...)...)
}

// Painted returns the text of the terminal with the escape sequences of colours.
func (m *Tmux) Painted() string {
	m.t.Helper()
	return m.tmux("capture-pane", "-p", "-e")
}

// WaitFor waits until the terminal shows all texts, and returns the screen.
func (m *Tmux) WaitFor(texts ...string) string {
	m.t.Helper()
	return m.waitFor([]string{"capture-pane", "-p"}, texts)
}

// waitFor waits until a command of tmux prints all texts, and returns what it prints.
func (m *Tmux) waitFor(command, texts []string) string {
	m.t.Helper()
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		screen := m.tmux(command...)
		missing := ""
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				missing = text
			}
		}
		if missing == "" {
			return screen
		}
		if time.Since(begun) > Patience {
			m.t.Fatalf("the terminal does not show %q:\n%s", missing, screen)
		}
	}
}

// Resize changes the size of the terminal.
func (m *Tmux) Resize(width, height int) {
	m.t.Helper()
	m.tmux("resize-window", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height))
}

// PID returns the number of the process of the command.
func (m *Tmux) PID() int {
	m.t.Helper()
	shell := strings.TrimSpace(m.tmux("display-message", "-p", "#{pane_pid}"))
	var children []byte
	WaitFor(m.t, func() bool {
		children, _ = os.ReadFile(fmt.Sprintf("/proc/%s/task/%s/children", shell, shell))
		return len(children) > 0
	})
	pid, err := strconv.Atoi(strings.Fields(string(children))[0])
	if err != nil {
		m.t.Fatal(err)
	}
	return pid
}

// WaitForEnd waits until the command has ended with an exit code, and checks that the
// terminal is in the state of a shell. It returns what the command left on the screen.
func (m *Tmux) WaitForEnd(code int) string {
	m.t.Helper()
	lines := []string{"capture-pane", "-p", "-S", "-"} // with those that have left the screen
	screen := m.waitFor(lines, []string{"exit code " + strconv.Itoa(code) + "\n", " icanon ", " echo "})
	if state := strings.TrimSpace(m.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}")); state != "0 1" {
		m.t.Errorf("alternate screen and cursor are %s, want 0 1", state)
	}
	left, _, _ := strings.Cut(screen, "exit code")
	return left
}
