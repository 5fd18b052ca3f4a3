package proctest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// Corner is a running .NET process.
type Corner struct {
	*exec.Cmd
	Lines chan string   // of its output
	Ended chan struct{} // closed when the process has ended
}

// CornersCommand is the program that exercises the corners of the runtime.
func CornersCommand(t *testing.T, scenario ...string) []string {
	t.Helper()
	te := shared.OtherReader(t)
	root, err := exec.Command(te, "path").Output()
	if err != nil {
		t.Fatal(err)
	}
	dll := filepath.Join(strings.TrimSpace(string(root)), "apps", "corners", "Corners.dll")
	return append([]string{te, "run", dll}, scenario...)
}

// RunTruth starts a program of the folder truth, which prints what it did at its end, and
// waits until sessions can be opened.
func RunTruth(t *testing.T, env []string, name string, args ...string) *Corner {
	t.Helper()
	te := shared.OtherReader(t)
	return start(t, env, append([]string{te, "run", filepath.Join(shared.Dir(t), "truth", "bin", name+".dll")}, args...))
}

// RunCorners starts the program and waits until sessions can be opened.
func RunCorners(t *testing.T, env []string, scenario ...string) *Corner {
	t.Helper()
	return start(t, env, CornersCommand(t, scenario...))
}

// start starts a command and waits until sessions can be opened in its process.
func start(t *testing.T, env, args []string) *Corner {
	t.Helper()
	c := &Corner{Cmd: exec.Command(args[0], args[1:]...), Lines: make(chan string, 1000), Ended: make(chan struct{})}
	c.Env = append(os.Environ(), env...)
	r, w := io.Pipe()
	c.Stdout, c.Stderr = w, w
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for s := bufio.NewScanner(r); s.Scan(); {
			c.Lines <- s.Text()
		}
		close(c.Lines)
	}()
	go func() {
		_ = c.Wait()
		w.Close()
		close(c.Ended)
	}()
	t.Cleanup(func() {
		_ = c.Process.Kill()
		<-c.Ended
	})
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		p, err := eventpipe.Find(c.Process.Pid)
		if err == nil {
			if _, err = p.Client().ProcessInfo(t.Context()); err == nil {
				return c
			}
		}
		if time.Since(begun) > Patience {
			t.Fatal(err)
		}
	}
}

// PID is its number as text.
func (c *Corner) PID() string { return strconv.Itoa(c.Process.Pid) }

// StartCorners starts a program that is silent for a while at its start and end, and
// returns its process id. It ends with the test.
func StartCorners(t *testing.T, scenario ...string) int {
	t.Helper()
	return RunCorners(t, []string{"CORNERS_PRE_MS=3000", "CORNERS_POST_MS=1500"}, scenario...).Process.Pid
}
