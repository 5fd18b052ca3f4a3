package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// releasedModules are the files of a repository whose modules can get version v0.2.0.
func releasedModules() map[string]string {
	files := map[string]string{
		"CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n## v0.2.0 - 2026-12-01\n\n### Added\n\n- Tags.\n\n## v0.1.0 - 2026-11-30\n\n- Files.\n",
	}
	for _, folder := range released() {
		files[filepath.Join(folder, "LICENSE")] = "licence"
		files[filepath.Join(folder, "go.mod")] = "module " + modulePath(folder) + "\n"
	}
	files["go.mod"] += "require " + root + "/codec v0.2.0\n"
	return files
}

// tagged returns the tags of a repository.
func tagged(t *testing.T, repo string) string {
	t.Helper()
	out, err := git(repo, "tag", "--list")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

// identify gives the environment of a test an author of tags.
func identify(t *testing.T) {
	t.Helper()
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "test")
		t.Setenv("GIT_"+who+"_EMAIL", "test@example.com")
	}
}

// TestTag: without -run the commands are printed, with it the tags are set.
func TestTag(t *testing.T) {
	identify(t)
	for _, c := range []struct {
		name string
		run  bool
		tags string
		last string
	}{
		{"dry run", false, "", "nothing was tagged: RUN=1 sets the tags\n"},
		{"run", true, "cmd/nettrace/v0.2.0 codec/v0.2.0 corpora/v0.2.0 integrations/v0.2.0 v0.2.0", "5 tags were set and not pushed: run the lines git push in this order\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			repo := repository(t, releasedModules())
			var out bytes.Buffer
			if err := tag(&options{version: "v0.2.0", repo: repo, run: c.run}, &out); err != nil {
				t.Fatal(err)
			}
			if got := tagged(t, repo); got != c.tags {
				t.Errorf("got tags %q, want %q", got, c.tags)
			}
			if !strings.HasSuffix(out.String(), c.last) {
				t.Errorf("got output %q, want the end %q", out.String(), c.last)
			}
			for _, want := range []string{
				"git tag --annotate --message 'Release v0.2.0' codec/v0.2.0\ngit tag --annotate --message 'Release v0.2.0' v0.2.0\n",
				"git push --atomic origin codec/v0.2.0 v0.2.0 cmd/nettrace/v0.2.0\n" +
					"git push --atomic origin corpora/v0.2.0 integrations/v0.2.0\n",
			} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("got output %q, want %q in it", out.String(), want)
				}
			}
		})
	}
}

// TestTagRefused: each reason against a version is an error, and no tag is set.
func TestTagRefused(t *testing.T) {
	identify(t)
	for _, c := range []struct {
		name, version, want string
		change              func(t *testing.T, files map[string]string)
		after               func(t *testing.T, repo string)
	}{
		{name: "no version", want: `the version is ""`},
		{name: "no semantic version", version: "0.2.0", want: `the version is "0.2.0"`},
		{name: "short version", version: "v0.2", want: `the version is "v0.2"`},
		{
			name: "replace", version: "v0.2.0", want: "codec/v0.2.0: go.mod replaces example.com/a",
			change: func(_ *testing.T, files map[string]string) {
				files["codec/go.mod"] += "replace example.com/a => ../a\n"
			},
		},
		{
			name: "old requirement", version: "v0.3.0", want: "v0.3.0: go.mod requires " + root + "/codec v0.2.0, want v0.3.0",
		},
		{
			name: "no licence", version: "v0.2.0", want: "corpora/v0.2.0: git show",
			change: func(_ *testing.T, files map[string]string) { delete(files, "corpora/LICENSE") },
		},
		{
			name: "no section", version: "v0.3.0", want: `CHANGELOG.md has no entries in a section "## v0.3.0 - YYYY-MM-DD"`,
		},
		{
			name: "changed file", version: "v0.2.0", want: "1 files are not committed",
			after: func(t *testing.T, repo string) { writeFile(t, filepath.Join(repo, "new.go"), "package nettrace\n") },
		},
		{
			name: "existing tag", version: "v0.2.0", want: "cmd/nettrace/v0.2.0: the tag exists",
			after: func(t *testing.T, repo string) {
				if _, err := git(repo, "tag", "cmd/nettrace/v0.2.0"); err != nil {
					t.Fatal(err)
				}
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := releasedModules()
			if c.change != nil {
				c.change(t, files)
			}
			repo := repository(t, files)
			if c.after != nil {
				c.after(t, repo)
			}
			before := tagged(t, repo)
			err := tag(&options{version: c.version, repo: repo, run: true}, new(bytes.Buffer))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want %q in it", err, c.want)
			}
			if got := tagged(t, repo); got != before {
				t.Errorf("got tags %q, want %q", got, before)
			}
		})
	}
}
