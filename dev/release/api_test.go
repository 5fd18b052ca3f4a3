package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// commitAll commits the files of a repository.
func commitAll(t *testing.T, repo string) {
	t.Helper()
	for _, args := range [][]string{{"add", "."}, {"commit", "--quiet", "--message", "change"}} {
		if _, err := git(repo, args...); err != nil {
			t.Fatal(err)
		}
	}
}

// setTags tags the last commit.
func setTags(t *testing.T, repo string, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := git(repo, "tag", name); err != nil {
			t.Fatal(err)
		}
	}
}

// apiModules are the files of a repository with a package in codec, which the root uses.
func apiModules() map[string]string {
	files := releasedModules()
	for _, folder := range released() {
		files[filepath.Join(folder, "go.mod")] = "module " + modulePath(folder) + "\n\ngo 1.25.0\n"
	}
	files["go.mod"] += "\nrequire " + root + "/codec v0.1.0\n"
	files["codec/codec.go"] = "// Package codec is a test.\npackage codec\n\n// F is a test.\nfunc F() {}\n"
	files["root.go"] = "// Package nettrace is a test.\npackage nettrace\n\nimport \"" + root + "/codec\"\n\n// F is a test.\nfunc F() { codec.F() }\n"
	return files
}

// TestAPI compares modules with their tags: an incompatible change needs an entry of the
// changelog.
func TestAPI(t *testing.T) {
	identify(t)
	tools := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(tools, "bin", "gorelease"), "golang.org/x/exp/cmd/gorelease")
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	const breaking = "# Changelog\n\n## Unreleased\n\n### Breaking\n\n- codec: G takes the place of F.\n"
	for _, c := range []struct {
		name            string
		codec, root     string // the changed function
		changelog       string
		output, failure string
	}{
		{
			name: "compatible", codec: "func F() {}\n\n// G is a test.\nfunc G() {}\n", root: "func F() { codec.G() }\n",
			output: "  github.com/nettrace-go/nettrace/codec         compared with v0.1.0: 1 compatible changes, 0 incompatible ones\n" +
				"  github.com/nettrace-go/nettrace               compared with v0.1.0: 0 compatible changes, 0 incompatible ones\n" +
				"  github.com/nettrace-go/nettrace/cmd/nettrace  no tag, nothing to compare with\n",
		},
		{
			name: "incompatible", codec: "func G() {}\n", root: "func F() { codec.G() }\n",
			output:  "/codec         compared with v0.1.0: 1 compatible changes, 1 incompatible ones\n",
			failure: "github.com/nettrace-go/nettrace/codec has incompatible changes, and CHANGELOG.md has no entry under \"### Breaking\"",
		},
		{
			name: "incompatible with an entry", codec: "func G() {}\n", root: "func F() { codec.G() }\n", changelog: breaking,
			output: "/codec         compared with v0.1.0: 1 compatible changes, 1 incompatible ones\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := apiModules()
			repo := repository(t, files)
			setTags(t, repo, "codec/v0.1.0", "v0.1.0")
			writeFile(t, filepath.Join(repo, "codec/codec.go"), strings.Replace(files["codec/codec.go"], "func F() {}\n", c.codec, 1))
			writeFile(t, filepath.Join(repo, "root.go"), strings.Replace(files["root.go"], "func F() { codec.F() }\n", c.root, 1))
			if c.changelog != "" {
				writeFile(t, filepath.Join(repo, "CHANGELOG.md"), c.changelog)
			}
			commitAll(t, repo)
			dir := t.TempDir()
			var out bytes.Buffer
			err := compareAPI(&options{version: "v0.1.0", repo: tools}, dir, repo, &out)
			if c.failure == "" && err != nil || c.failure != "" && (err == nil || !strings.Contains(err.Error(), c.failure)) {
				t.Errorf("got error %v, want %q in it", err, c.failure)
			}
			for line := range strings.Lines(c.output) {
				if !strings.Contains(out.String(), line) {
					t.Errorf("got output %q, want %q in it", out.String(), line)
				}
			}
		})
	}
}

// TestAPIWithoutTags: modules without a tag are named.
func TestAPIWithoutTags(t *testing.T) {
	var out bytes.Buffer
	if err := compareAPI(&options{version: "v0.1.0"}, t.TempDir(), repository(t, apiModules()), &out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), " no tag, nothing to compare with\n"); n != len(released()) {
		t.Errorf("got %d lines, want %d: %s", n, len(released()), out.String())
	}
}

// TestAPIShallow: a shallow clone without tags is named.
func TestAPIShallow(t *testing.T) {
	identify(t)
	repo := repository(t, apiModules())
	writeFile(t, filepath.Join(repo, "new.go"), "package nettrace\n")
	commitAll(t, repo)
	for name, c := range map[string]struct {
		args []string
		want bool
	}{"shallow": {[]string{"--depth", "1"}, true}, "complete": {nil, false}} {
		t.Run(name, func(t *testing.T) {
			clone := filepath.Join(t.TempDir(), "clone")
			if _, err := git(repo, append([]string{"clone", "--quiet", fileURL(repo), clone}, c.args...)...); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := compareAPI(&options{version: "v0.1.0"}, t.TempDir(), clone, &out); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(out.String(), "is a shallow clone"); got != c.want {
				t.Errorf("shallow: got %t, want %t in %q", got, c.want, out.String())
			}
		})
	}
}

// TestLastTag finds the highest version of a module that the last commit contains.
func TestLastTag(t *testing.T) {
	identify(t)
	repo := repository(t, apiModules())
	setTags(t, repo, "v0.1.0", "v0.9.0", "v0.10.0", "v0.11.0-rc.1", "codec/v0.2.0", "corpora/w0.1.0")
	writeFile(t, filepath.Join(repo, "new.go"), "package nettrace\n")
	commitAll(t, repo)
	setTags(t, repo, "v0.12.0", "corpora/v0.1.0")
	for folder, want := range map[string]string{"": "v0.10.0", "codec": "v0.2.0", "corpora": "", "cmd/nettrace": ""} {
		t.Run(folder, func(t *testing.T) {
			if got, err := lastTag(repo, folder); got != want || err != nil {
				t.Errorf("got %q, %v; want %q", got, err, want)
			}
		})
	}
}

// TestNextVersion: without a raised version, the next minor version is compared.
func TestNextVersion(t *testing.T) {
	for _, c := range []struct{ version, last, want string }{
		{"v0.2.0", "v0.1.0", "v0.2.0"},
		{"v0.1.0", "v0.1.0", "v0.2.0"},
		{"v0.1.0", "v0.9.3", "v0.10.0"},
		{"v1.0.0", "v0.9.3", "v1.0.0"},
	} {
		t.Run(c.version+" after "+c.last, func(t *testing.T) {
			if got := nextVersion(c.version, c.last); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
