package check_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
)

// changeScript is the script that CI systems run.
const changeScript = "../../../../conformance/check-changed.sh"

// change is a git repository and a run of the script in it.
type change struct {
	t   *testing.T
	dir string            // where the script runs
	env map[string]string // variables of the script
}

// newChange returns a repository without commits.
func newChange(t *testing.T) *change {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not allow the names of the files")
	}
	for _, program := range []string{"git", "bash"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the script needs %s: %v", program, err)
		}
	}
	c := &change{t: t, dir: t.TempDir(), env: map[string]string{"NETTRACE": os.Args[0]}}
	c.git("init", "-q", "-b", "main")
	return c
}

// environment is that of git and of the script: no configuration of the user.
func (c *change) environment() []string {
	list := []string{"NETTRACE_TEST_MAIN=1", "PATH=" + os.Getenv("PATH"), "HOME=" + c.t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C"}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		list = append(list, "GIT_"+who+"_NAME=Somebody", "GIT_"+who+"_EMAIL=somebody@example.org")
	}
	for name, value := range c.env {
		list = append(list, name+"="+value)
	}
	return list
}

// git runs git and returns its output without the last line break.
func (c *change) git(args ...string) string {
	c.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir, cmd.Env = c.dir, c.environment()
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// write writes a file of the work tree.
func (c *change) write(name string, data []byte) {
	c.t.Helper()
	if runtime.GOOS == "darwin" && !utf8.ValidString(name) {
		c.t.Skip("macOS refuses names that are not UTF-8")
	}
	path := filepath.Join(c.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		c.t.Fatal(err)
	}
}

// commit writes files, commits all changes, and returns the id of the commit.
func (c *change) commit(files map[string][]byte) string {
	c.t.Helper()
	for name, data := range files {
		c.write(name, data)
	}
	c.git("add", "-A")
	c.git("commit", "-q", "--allow-empty", "-m", "Change files")
	return c.git("rev-parse", "HEAD")
}

// base commits a correct file and sets BASE to the commit.
func (c *change) base() {
	c.t.Helper()
	c.env["BASE"] = c.commit(map[string][]byte{"old.nettrace": goodTrace()})
}

// clone continues in a clone with the last commits.
func (c *change) clone(depth string) {
	c.t.Helper()
	dir := c.t.TempDir()
	c.git("clone", "-q", "--depth", depth, "file://"+filepath.ToSlash(c.dir), dir)
	c.dir = dir
}

// run runs the script and returns its exit code and both of its outputs.
func (c *change) run() (code int, output string) {
	c.t.Helper()
	script, err := filepath.Abs(changeScript)
	if err != nil {
		c.t.Fatal(err)
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.CommandContext(c.t.Context(), bash, script)
	cmd.Dir, cmd.Env = c.dir, c.environment()
	out, err := cmd.CombinedOutput()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		c.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// goodTrace is a trace without findings, and badTrace the same with the fault that a
// sequence number repeats.
func goodTrace() []byte { return faultyAndCorrected().Corrected }

func badTrace() []byte { return faultyAndCorrected().Faulty }

func faultyAndCorrected() gen.Case {
	for _, c := range gen.Faults() {
		if c.Name == "number-repeated" {
			return c.Inject(wire.V6, 1)
		}
	}
	panic("no fault number-repeated")
}
