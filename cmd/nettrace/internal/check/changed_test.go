package check_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// Exit codes of the script.
const (
	passed      = 0
	failed      = 1
	notLooked   = 2
	unsupported = 3
)

const bad = "bad.nettrace"

var zeros = strings.Repeat("0", 40)

// situation is a repository and its variables, and the result of the script.
type situation struct {
	name string
	make func(c *change)
	code int
	text string // in the output
	not  string // not in the output
}

// TestChangedFiles: the script checks the changed files of git repositories. It never passes
// when it could not find out which files changed.
func TestChangedFiles(t *testing.T) {
	names := map[string]bool{}
	for _, group := range [][]situation{changes, bases, repositories, fileNames, variables} {
		for _, s := range group {
			if names[s.name] {
				t.Errorf("two situations %q", s.name)
			}
			names[s.name] = true
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				c := newChange(t)
				s.make(c)
				code, output := c.run()
				expect.Equal(t, "exit code", code, s.code)
				expect.Contains(t, "output", output, s.text)
				if s.not != "" {
					expect.Lacks(t, "output", output, s.not)
				}
				if t.Failed() {
					t.Logf("output:\n%s", output)
				}
			})
		}
	}
	expect.AtLeast(t, "situations", len(names), 30)
}

// one is a commit of one file.
func one(name string, data []byte) map[string][]byte { return map[string][]byte{name: data} }

// changes are those between two commits of a complete clone.
var changes = []situation{
	{"good file", func(c *change) { c.base(); c.commit(one("new.nettrace", goodTrace())) }, passed, "new.nettrace: no finding", "old.nettrace"},
	{"bad file", func(c *change) { c.base(); c.commit(one(bad, badTrace())) }, failed, "NT6-SEQ-002", "old.nettrace"},
	{"modified file", func(c *change) { c.base(); c.commit(one("old.nettrace", badTrace())) }, failed, "old.nettrace: 1 error", ""},
	{"bad file in the first of two commits", func(c *change) { c.base(); c.commit(one(bad, badTrace())); c.commit(nil) }, failed, "bad.nettrace: 1 error", ""},
	{"bad file that did not change", func(c *change) {
		c.env["BASE"] = c.commit(one(bad, badTrace()))
		c.commit(one("new.nettrace", goodTrace()))
	}, passed, "new.nettrace: no finding", bad},
	{"no trace changed", func(c *change) { c.base(); c.commit(one("readme.txt", nil)) }, passed, "no NetTrace file to check", ""},
	{"base is HEAD", func(c *change) { c.base() }, passed, "no NetTrace file to check", ""},
	{"deleted file", func(c *change) {
		c.env["BASE"] = c.commit(one(bad, badTrace()))
		c.git("rm", "-q", bad)
		c.commit(nil)
	}, passed, "no NetTrace file to check", ""},
	{"renamed from another extension", func(c *change) {
		c.env["BASE"] = c.commit(one("bad.bin", badTrace()))
		c.git("mv", "bad.bin", bad)
		c.commit(nil)
	}, failed, "bad.nettrace: 1 error", ""},
	{"merge commit", func(c *change) {
		c.base()
		c.git("switch", "-q", "-c", "topic")
		c.commit(one(bad, badTrace()))
		c.git("switch", "-q", "main")
		c.commit(one("readme.txt", nil))
		c.git("merge", "-q", "--no-edit", "topic")
	}, failed, "bad.nettrace: 1 error", ""},
	{"rewritten history", func(c *change) {
		c.base()
		c.env["BASE"] = c.commit(one("readme.txt", nil))
		c.git("reset", "-q", "--hard", "HEAD~1")
		c.commit(one(bad, badTrace()))
	}, failed, "bad.nettrace: 1 error", ""},
	{"version that is not supported", func(c *change) {
		c.base()
		trace := goodTrace()
		trace[12] = 7
		c.commit(one("new.nettrace", trace))
	}, unsupported, "NT6-HDR-006", ""},
	{"pointer to a file in another storage", func(c *change) {
		c.base()
		c.commit(one("new.nettrace", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")))
	}, failed, "new.nettrace: a pointer of Git LFS", ""},
}

// bases are values of BASE.
var bases = []situation{
	{"first push with a bad file", func(c *change) { c.base(); c.commit(one(bad, badTrace())); c.env["BASE"] = zeros }, failed, "checking all files of HEAD", ""},
	{"first push with a bad file in an old commit", func(c *change) { c.commit(one(bad, badTrace())); c.commit(nil); c.env["BASE"] = zeros }, failed, "bad.nettrace: 1 error", ""},
	{"first push with good files", func(c *change) { c.base(); c.env["BASE"] = zeros }, passed, "old.nettrace: no finding", ""},
	{"empty base", func(c *change) { c.commit(one(bad, badTrace())); c.commit(nil); c.env["BASE"] = "" }, failed, "checking all files of HEAD", ""},
	{"empty base, good files", func(c *change) { c.base(); c.env["BASE"] = "" }, passed, "old.nettrace: no finding", ""},
	{"no base and one commit", func(c *change) { c.commit(one(bad, badTrace())) }, failed, "bad.nettrace: 1 error", ""},
	{"base of spaces", func(c *change) { c.base(); c.env["BASE"] = "  " }, notLooked, "BASE is not a commit", ""},
	{"misspelled base", func(c *change) { c.base(); c.env["BASE"] = "mian" }, notLooked, "BASE is not a commit: mian", ""},
	{"base is a tree", func(c *change) { c.base(); c.env["BASE"] = c.git("rev-parse", "HEAD^{tree}") }, notLooked, "BASE is not a commit", ""},
	{"base is like a flag", func(c *change) { c.base(); c.env["BASE"] = "--all" }, notLooked, "BASE is not a commit", ""},
	{"base is a branch", func(c *change) {
		c.base()
		c.git("branch", "release")
		c.commit(one(bad, badTrace()))
		c.env["BASE"] = "release"
	}, failed, "bad.nettrace: 1 error", "old.nettrace"},
	{"id of no commit", func(c *change) {
		c.commit(one(bad, badTrace()))
		c.env["BASE"] = strings.Repeat("12345678", 5)
	}, failed, "does not have the base", ""},
	{"checkout of depth 1 with a bad file", func(c *change) { c.base(); c.commit(one(bad, badTrace())); c.clone("1") }, failed, "fetch-depth: 0", ""},
	{"checkout of depth 1 with good files", func(c *change) { c.base(); c.commit(one("new.nettrace", goodTrace())); c.clone("1") }, passed, "new.nettrace: no finding", ""},
	{"checkout of depth 1 without a base", func(c *change) {
		c.commit(one(bad, badTrace()))
		c.commit(nil)
		c.clone("1")
	}, failed, "bad.nettrace: 1 error", ""},
	{"checkout of depth 2", func(c *change) { c.base(); c.commit(one(bad, badTrace())); c.clone("2") }, failed, "bad.nettrace: 1 error", "old.nettrace"},
}

// repositories are states of the repository and of the work tree.
var repositories = []situation{
	{"no repository", func(c *change) { c.dir = c.t.TempDir(); c.write(bad, badTrace()) }, notLooked, "no git repository here", ""},
	{"no commit", func(c *change) { c.write(bad, badTrace()) }, notLooked, "the repository has no commit", ""},
	{"no git", func(c *change) { c.base(); c.env["PATH"] = c.t.TempDir() }, notLooked, "no git repository here", ""},
	{"bare repository", func(c *change) { c.base(); c.dir = filepath.Join(c.dir, ".git") }, notLooked, "no work tree here", ""},
	{"base without its tree", func(c *change) {
		c.base()
		tree := c.git("rev-parse", "HEAD^{tree}")
		c.commit(one(bad, badTrace()))
		if err := os.Remove(filepath.Join(c.dir, ".git", "objects", tree[:2], tree[2:])); err != nil {
			c.t.Fatal(err)
		}
	}, notLooked, "git cannot compare", ""},
	{"file that is not in the work tree", func(c *change) {
		c.base()
		c.commit(one(bad, badTrace()))
		if err := os.Remove(filepath.Join(c.dir, bad)); err != nil {
			c.t.Fatal(err)
		}
	}, notLooked, "no such file", ""},
	{"symbolic link to nothing", func(c *change) {
		c.base()
		if err := os.Symlink("nowhere.nettrace", filepath.Join(c.dir, "link.nettrace")); err != nil {
			c.t.Skipf("no symbolic links: %v", err)
		}
		c.commit(nil)
	}, notLooked, "link.nettrace", ""},
	{"subfolder, file outside of it", func(c *change) {
		c.base()
		c.commit(map[string][]byte{bad: badTrace(), "sub/readme.txt": nil})
		c.git("config", "diff.relative", "true")
		c.dir = filepath.Join(c.dir, "sub")
	}, failed, "../bad.nettrace: 1 error", ""},
	{"subfolder, file in it", func(c *change) {
		c.base()
		c.commit(one("sub/bad.nettrace", badTrace()))
		c.dir = filepath.Join(c.dir, "sub")
	}, failed, "bad.nettrace: 1 error", ""},
}

// fileNames are names of a changed file.
var fileNames = []situation{
	nameOf("name that is not ASCII", "Größe-日本.nettrace"),
	nameOf("name that is not UTF-8", "gr\xf6\xdfe.nettrace"),
	nameOf("name with spaces", "a bad trace.nettrace"),
	nameOf("name with quotes", "a\"b'c.nettrace"),
	nameOf("name with a line break", "a\nb.nettrace"),
	nameOf("name with a backslash", `a\tb.nettrace`),
	nameOf("name like a pattern", "[a]*.nettrace"),
	nameOf("name like a flag", "--list.nettrace"),
	nameOf("extension in capitals", "BAD.NETTRACE"),
	{"compressed file", func(c *change) {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(badTrace())
		w.Close()
		c.base()
		c.commit(one("bad.nettrace.gz", b.Bytes()))
	}, failed, "bad.nettrace.gz: 1 error", ""},
}

// nameOf is the situation of a bad file with a name.
func nameOf(situationName, file string) situation {
	return situation{situationName, func(c *change) { c.base(); c.commit(one(file, badTrace())) }, failed, ": 1 error", "old.nettrace"}
}

// variables are values of the other variables.
var variables = []situation{
	{"FILES of spaces", func(c *change) { c.base(); c.env["FILES"] = "  " }, notLooked, "FILES has only spaces", ""},
	{"FILES names a missing file", func(c *change) { c.base(); c.env["FILES"] = "none.nettrace" }, notLooked, "none.nettrace", ""},
	{"pattern without a file", func(c *change) { c.base(); c.env["FILES"] = "traces/*.nettrace" }, notLooked, "traces/*.nettrace", ""},
	{"pattern with a bad file", func(c *change) { c.write(bad, badTrace()); c.env["FILES"] = "*.nettrace" }, failed, "bad.nettrace: 1 error", ""},
	{"pattern over folders", func(c *change) { c.write("a/b/"+bad, badTrace()); c.env["FILES"] = "**/*.nettrace" }, failed, "a/b/bad.nettrace: 1 error", ""},
	{"FILES without a repository", func(c *change) {
		c.dir = c.t.TempDir()
		c.write("x.nettrace", goodTrace())
		c.env["FILES"] = "x.nettrace"
	}, passed, "x.nettrace: no finding", ""},
	{"no program", func(c *change) { c.base(); c.env["NETTRACE"] = "no-such-program" }, notLooked, "cannot run the program no-such-program", ""},
	{"unknown rule set", func(c *change) { c.base(); c.commit(one(bad, badTrace())); c.env["PROFILE"] = "mild" }, notLooked, "mild", ""},
	{"unknown severity", func(c *change) { c.base(); c.commit(one(bad, badTrace())); c.env["FAIL_ON"] = "fatal" }, notLooked, "fatal", ""},
	{"bad file that must not fail", func(c *change) { c.base(); c.commit(one(bad, badTrace())); c.env["FAIL_ON"] = "never" }, passed, "NT6-SEQ-002", ""},
	{"missing file of suppressions", func(c *change) { c.base(); c.commit(one(bad, badTrace())); c.env["SUPPRESS"] = "none.txt" }, notLooked, "none.txt", ""},
	{"suppressed finding", func(c *change) {
		c.base()
		c.commit(one(bad, badTrace()))
		c.write("known.txt", []byte("NT6-SEQ-002 # known\n"))
		c.env["SUPPRESS"] = "known.txt"
	}, passed, "1 suppressed", ""},
	{"SARIF in a missing folder", func(c *change) {
		c.base()
		c.commit(one("new.nettrace", goodTrace()))
		c.env["SARIF"] = filepath.Join("none", "x.sarif")
	}, notLooked, "cannot write", ""},
	{"no git, in GitHub Actions", func(c *change) {
		maps.Copy(c.env, map[string]string{"PATH": c.t.TempDir(), "GITHUB_ACTIONS": "true"})
	}, notLooked, "::error title=check-changed::no git repository here", ""},
}

// TestAnnotations: in GitHub Actions the script prints annotations, writes SARIF, and sets
// the output of the action. A file name is not read as a command.
func TestAnnotations(t *testing.T) {
	c := newChange(t)
	c.base()
	c.commit(map[string][]byte{"Größe, 100%.nettrace": badTrace(), "::error::x.nettrace": goodTrace()})
	output := filepath.Join(t.TempDir(), "output")
	sarif := filepath.Join(t.TempDir(), "findings.sarif")
	maps.Copy(c.env, map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_OUTPUT": output, "SARIF": sarif})
	code, text := c.run()
	expect.Equal(t, "exit code", code, failed)
	expect.Contains(t, "output", text, "\n::error file=Größe%2C 100%25.nettrace,title=NT6-SEQ-002::The sequence number", "%0Afix: ")
	start, end := strings.Index(text, "::stop-commands::"), strings.Index(text, "\n::check-changed-")
	at := strings.Index(text, "::error::x.nettrace: no finding")
	expect.AtLeast(t, "position of the file name", at, start)
	expect.AtMost(t, "position of the file name", at, end)
	expect.AtLeast(t, "start of the text", start, 0)

	data, err := os.ReadFile(sarif)
	expect.NoError(t, err)
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID string `json:"ruleId"`
			}
		}
	}
	expect.NoError(t, json.Unmarshal(data, &log))
	expect.Len(t, "runs", log.Runs, 1)
	expect.Stop(t)
	expect.Len(t, "results", log.Runs[0].Results, 1)
	expect.Stop(t)
	expect.Equal(t, "rule", log.Runs[0].Results[0].RuleID, "NT6-SEQ-002")
	value, err := os.ReadFile(output)
	expect.NoError(t, err)
	expect.Equal(t, "output of the action", string(value), "sarif="+sarif+"\n")
}

// TestActionVariables: the action sets each variable that the script reads.
func TestActionVariables(t *testing.T) {
	action, err := os.ReadFile("../../../../action.yml")
	expect.NoError(t, err)
	script, err := os.ReadFile(changeScript)
	expect.NoError(t, err)
	for _, name := range []string{"NETTRACE", "FILES", "BASE", "PROFILE", "FAIL_ON", "SUPPRESS", "SARIF"} {
		t.Run(name, func(t *testing.T) {
			expect.Contains(t, "action.yml", string(action), "\n        "+name+": ${{ ")
			expect.Contains(t, "the script", string(script), "#   "+name, "${"+name+":-")
		})
	}
}
