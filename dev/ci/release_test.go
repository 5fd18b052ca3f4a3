package ci

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// repository makes a repository with the script and the files, all committed, whose modules
// can get version v0.2.0.
func repository(t *testing.T, changed map[string]string) string {
	t.Helper()
	script, err := os.ReadFile("../../.ci/release")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		".ci/release":  string(script),
		"CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n## v0.2.0 - 2026-12-01\n\n### Added\n\n- Tags.\n\n## v0.1.0 - 2026-11-30\n\n- Files.\n",
	}
	const root = "module github.com/nettrace-go/nettrace"
	for _, folder := range []string{"codec", ".", "cmd/nettrace", "corpora", "integrations", "integrations/nettracereceiver"} {
		files[filepath.Join(folder, "LICENSE")] = "licence"
		files[filepath.Join(folder, "go.mod")] = strings.TrimSuffix(root+"/"+folder, "/.") + "\n"
	}
	files["go.mod"] += "\nrequire github.com/nettrace-go/nettrace/codec v0.2.0\n"
	dir := t.TempDir()
	for name, text := range changed {
		files[name] = text
	}
	for name, text := range files {
		if text == "" {
			continue // left out
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "All"}} {
		git(t, dir, args...)
	}
	return dir
}

// git runs git as an author of commits and tags, and returns its output.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=test", "-c", "user.email=test@example.com"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// release runs the script in a repository. The error is the last line that it printed.
func release(t *testing.T, dir string, args ...string) (output, failure string) {
	t.Helper()
	cmd := exec.Command("bash", append([]string{".ci/release"}, args...)...)
	cmd.Dir = dir
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		cmd.Env = append(cmd.Environ(), "GIT_"+who+"_NAME=test", "GIT_"+who+"_EMAIL=test@example.com")
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		failure = strings.TrimSpace(stderr.String())
		if failure == "" {
			failure = err.Error()
		}
	}
	return string(out), failure
}

// linuxOnly skips a test of a script where the target is not run.
func linuxOnly(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("not run: releases are made on Linux")
	}
}

// TestTag: without "run" the commands are printed, with it the tags are set.
func TestTag(t *testing.T) {
	linuxOnly(t)
	dir := repository(t, nil)
	for _, c := range []struct{ run, tags, last string }{
		{"", "", "nothing was tagged: RUN=1 sets the tags\n"},
		{"run", "cmd/nettrace/v0.2.0 codec/v0.2.0 corpora/v0.2.0 integrations/nettracereceiver/v0.2.0 integrations/v0.2.0 v0.2.0", "the tags were set and not pushed: run the lines git push in this order\n"},
	} {
		out, failure := release(t, dir, "tag", "v0.2.0", c.run)
		if failure != "" {
			t.Fatalf("%q: %s", c.run, failure)
		}
		if got := strings.Join(strings.Fields(git(t, dir, "tag", "--list")), " "); got != c.tags {
			t.Errorf("%q: got tags %q, want %q", c.run, got, c.tags)
		}
		for _, want := range []string{
			"git tag --annotate --message 'Release v0.2.0' codec/v0.2.0\ngit tag --annotate --message 'Release v0.2.0' v0.2.0\n",
			"git push --atomic origin codec/v0.2.0 v0.2.0 cmd/nettrace/v0.2.0\ngit push --atomic origin corpora/v0.2.0 integrations/v0.2.0 integrations/nettracereceiver/v0.2.0\n" + c.last,
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%q: got output %q, want %q in it", c.run, out, want)
			}
		}
	}
}

// TestTagRefused: each reason against a version is an error, and no tag is set.
func TestTagRefused(t *testing.T) {
	linuxOnly(t)
	const codec = "module github.com/nettrace-go/nettrace/codec\n"
	for _, c := range []struct {
		name, version, want string
		files               map[string]string
		after               func(dir string)
	}{
		{name: "no version", want: "release: want check, api, tag or notes, and a version such as v0.1.0"},
		{name: "no semantic version", version: "0.2.0", want: `release: the version is "0.2.0", want one such as v0.2.0`},
		{name: "short version", version: "v0.2", want: `release: the version is "v0.2", want one such as v0.2.0`},
		{
			name: "replace", version: "v0.2.0", want: "release: codec/go.mod replaces a module",
			files: map[string]string{"codec/go.mod": codec + "\nreplace example.com/a => ../a\n"},
		},
		{
			name: "old requirement", version: "v0.3.0", want: "release: ./go.mod requires require github.com/nettrace-go/nettrace/codec v0.2.0, want v0.3.0",
			files: map[string]string{"CHANGELOG.md": "## v0.3.0 - 2026-12-02\n\n- More.\n"},
		},
		{name: "no licence", version: "v0.2.0", want: "release: corpora: no file LICENSE in the last commit", files: map[string]string{"corpora/LICENSE": ""}},
		{name: "no section", version: "v0.3.0", want: `release: CHANGELOG.md has no entries in a section "## v0.3.0 - YYYY-MM-DD"`},
		{
			name: "changed file", version: "v0.2.0", want: "release: 1 files are not committed",
			after: func(dir string) {
				if err := os.WriteFile(filepath.Join(dir, "new.go"), nil, 0o666); err != nil {
					t.Fatal(err)
				}
			},
		},
		{
			name: "existing tag", version: "v0.2.0", want: "release: cmd/nettrace/v0.2.0: the tag exists",
			after: func(dir string) { git(t, dir, "tag", "cmd/nettrace/v0.2.0") },
		},
	} {
		dir := repository(t, c.files)
		if c.after != nil {
			c.after(dir)
		}
		before := git(t, dir, "tag", "--list")
		if _, failure := release(t, dir, "tag", c.version, "run"); failure != c.want {
			t.Errorf("%s: got error %q, want %q", c.name, failure, c.want)
		}
		if got := git(t, dir, "tag", "--list"); got != before {
			t.Errorf("%s: got tags %q, want %q", c.name, got, before)
		}
	}
}

// TestNotes prints the section of a version without the headings around it.
func TestNotes(t *testing.T) {
	linuxOnly(t)
	dir := repository(t, nil)
	for version, want := range map[string]string{"v0.2.0": "### Added\n\n- Tags.\n\n", "v0.1.0": "- Files.\n"} {
		if got, failure := release(t, dir, "notes", version); got != want || failure != "" {
			t.Errorf("%s: got %q, %q; want %q", version, got, failure, want)
		}
	}
}
