//go:build check || nightly

package docs

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// counts are the numbers of commands. With -update, outputs of commands that print something
// else are rewritten.
type counts struct {
	sync.Mutex
	executed, equal int
	unchecked       []string // page, line and reason
}

// TestPages executes the console blocks of all pages.
func TestPages(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil || runtime.GOOS == "windows" {
		t.Skip("the examples need the shell of Unix")
	}
	t.Parallel()
	var n counts
	t.Run("pages", func(t *testing.T) {
		for _, path := range pages(t) {
			t.Run(path, func(t *testing.T) {
				t.Parallel()
				(&page{counts: &n, path: path, lines: read(t, path)}).check(t)
			})
		}
	})
	fmt.Printf("%d commands of the documentation executed, %d outputs equal, %d not checked\n", n.executed, n.equal, len(n.unchecked))
	slices.Sort(n.unchecked)
	for _, reason := range n.unchecked {
		fmt.Println("not checked:", reason)
	}
	expect.AtLeast(t, "commands that are executed", n.executed, 120)
	expect.AtLeast(t, "a tenth of the commands, less those that are not checked", (n.executed+len(n.unchecked))/10-len(n.unchecked), 0)
}

// page is a Markdown file.
type page struct {
	*counts
	path   string
	lines  []string
	folder string // where its commands run
	home   string // an empty folder
	bin    string // has the program
}

// check executes the commands of a page and compares the outputs.
func (p *page) check(t *testing.T) {
	found, faults := blocks(p.lines)
	for _, f := range faults {
		t.Errorf("%s:%d: %s", p.path, f.line+1, f.text)
	}
	if len(found) == 0 {
		return
	}
	p.folders(t)
	outputs := map[int][]string{} // by line of the page
	for _, b := range found {
		for _, c := range b.commands {
			if b.reason != "" {
				p.add(func() {
					p.unchecked = append(p.unchecked, fmt.Sprintf("%s:%d: %s", p.path, c.line, b.reason))
				})
				continue
			}
			got, ok := p.run(t, c)
			if !ok {
				outputs[c.line] = got
			}
		}
	}
	if *testfile.Update {
		p.write(t, found, outputs)
	}
	left, err := os.ReadDir(p.home)
	expect.NoError(t, err)
	expect.Equal(t, "files in the home folder", len(left), 0)
}

func (p *page) add(change func()) {
	p.Lock()
	defer p.Unlock()
	change()
}

// folders makes the folders of the page's commands.
func (p *page) folders(t *testing.T) {
	t.Helper()
	p.folder, p.home, p.bin = t.TempDir(), t.TempDir(), t.TempDir()
	program, err := os.Executable()
	expect.NoError(t, err)
	expect.NoError(t, os.Symlink(program, filepath.Join(p.bin, "nettrace")))
	for _, name := range []string{"corpora", "docs"} {
		path, err := filepath.Abs(filepath.Join(root, name))
		expect.NoError(t, err)
		expect.NoError(t, os.Symlink(path, filepath.Join(p.folder, name)))
	}
}

// run executes a command, and reports whether its output is that of the page.
func (p *page) run(t *testing.T, c command) (got []string, ok bool) {
	out, err := p.command(t, c.text).CombinedOutput()
	out = bytes.TrimSuffix(out, []byte("\n"))
	if len(out) > 0 {
		got = strings.Split(string(out), "\n")
	}
	ok = matches(c.lines, got)
	p.add(func() {
		p.executed++
		if ok {
			p.equal++
		}
	})
	if err != nil {
		t.Errorf("%s:%d: %s: %v; another exit code needs \"; echo $?\"", p.path, c.line, c.text, err)
	}
	if !ok && !*testfile.Update {
		t.Errorf("%s:%d: %s: got\n%s\nwant\n%s", p.path, c.line, c.text, out, strings.Join(c.lines, "\n"))
	}
	return got, ok
}

// command returns a command line that the shell executes in the folder of the page.
func (p *page) command(t *testing.T, text string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", text)
	cmd.Dir = p.folder
	cmd.Env = []string{"HOME=" + p.home, "PATH=" + p.bin + ":/usr/local/bin:/usr/bin:/bin", "TZ=UTC", "NETTRACE_TEST_MAIN=1"}
	return cmd
}

// write writes the page with other outputs.
func (p *page) write(t *testing.T, found []block, outputs map[int][]string) {
	t.Helper()
	if len(outputs) == 0 {
		return
	}
	for _, b := range slices.Backward(found) {
		for _, c := range slices.Backward(b.commands) {
			got, differs := outputs[c.line]
			if !differs {
				continue
			}
			lines := rewrite(c.lines, got)
			if !matches(lines, got) {
				t.Errorf("%s:%d: %s: edit the output, and put ... between lines that do not follow each other", p.path, c.line, c.text)
			}
			p.lines = slices.Replace(p.lines, c.line, c.line+len(c.lines), lines...)
		}
	}
	expect.NoError(t, os.WriteFile(filepath.Join(root, p.path), []byte(strings.Join(p.lines, "\n")+"\n"), 0o666))
}
