package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// repository makes a git repository with committed files, given by name.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
	for _, args := range [][]string{
		{"init", "--quiet"}, {"add", "."},
		{"-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message", "files"},
	} {
		if _, err := git(dir, args...); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// twoModules are the files of a repository with a nested module.
func twoModules() map[string]string {
	return map[string]string{
		"go.mod": "module " + root + "\n", "LICENSE": "licence", "root.go": "package nettrace\n",
		"codec/go.mod": "module " + root + "/codec\n", "codec/LICENSE": "licence", "codec/codec.go": "package codec\n",
	}
}

// TestProxy: a proxy has the four files of each module, and a zip has the
// committed files of its module only.
func TestProxy(t *testing.T) {
	repo := repository(t, twoModules())
	writeFile(t, filepath.Join(repo, "untracked.go"), "package nettrace\n")
	p, err := makeProxy(repo, t.TempDir(), "v0.1.0", []string{"codec", ""})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		path  string
		files []string
	}{
		{root + "/codec", []string{"LICENSE", "codec.go", "go.mod"}},
		{root, []string{"LICENSE", "go.mod", "root.go"}},
	} {
		t.Run(want.path, func(t *testing.T) {
			m := p.modules[i]
			if m.path != want.path || m.files != len(want.files) {
				t.Errorf("got module %s with %d files, want %s with %d", m.path, m.files, want.path, len(want.files))
			}
			if got := zipped(t, m.zip, want.path+"@v0.1.0/"); !slices.Equal(got, want.files) {
				t.Errorf("the zip has %q, want %q", got, want.files)
			}
			base := strings.TrimSuffix(m.zip, ".zip")
			for file, text := range map[string]string{
				filepath.Join(filepath.Dir(m.zip), "list"): "v0.1.0\n", base + ".info": `"Version":"v0.1.0"`, base + ".mod": "module " + want.path + "\n",
			} {
				if got, err := os.ReadFile(file); err != nil || !strings.Contains(string(got), text) {
					t.Errorf("%s: got %q and error %v, want %q in it", filepath.Base(file), got, err, text)
				}
			}
		})
	}
}

// zipped returns the names of the files in a zip without their common prefix.
func zipped(t *testing.T, name, prefix string) []string {
	t.Helper()
	r, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var names []string
	for _, f := range r.File {
		names = append(names, strings.TrimPrefix(f.Name, prefix))
	}
	slices.Sort(names)
	return names
}

// TestProxyIncomplete checks that a module without a licence or without a go.mod is an
// error.
func TestProxyIncomplete(t *testing.T) {
	for _, missing := range []string{"codec/LICENSE", "codec/go.mod"} {
		t.Run(missing, func(t *testing.T) {
			files := twoModules()
			delete(files, missing)
			if _, err := makeProxy(repository(t, files), t.TempDir(), "v0.1.0", []string{"codec", ""}); err == nil {
				t.Errorf("no error without %s", missing)
			}
		})
	}
}

// TestProxyRequirements checks that a go.mod must require the version of the release
// and must not replace modules.
func TestProxyRequirements(t *testing.T) {
	for _, c := range []struct {
		name, line string
		fine       bool
	}{
		{"same version", "require " + root + "/codec v0.1.0", true},
		{"another module", "require example.com/codec v0.2.0", true},
		{"another version", "require " + root + "/codec v0.0.9", false},
		{"replaced", "replace " + root + "/codec => ./codec", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := twoModules()
			files["go.mod"] += c.line + "\n"
			if _, err := makeProxy(repository(t, files), t.TempDir(), "v0.1.0", []string{"codec", ""}); (err == nil) != c.fine {
				t.Errorf("got error %v, want none: %t", err, c.fine)
			}
		})
	}
}

// TestCompressed: a file of a module has a size in its zip, an absent one is an error.
func TestCompressed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "m.zip")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	part, err := w.CreateHeader(&zip.FileHeader{Name: "example.com/m@v1.0.0/a/b.txt", Method: zip.Store})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write([]byte("12345")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	m := published{zip: name}
	if n, err := m.compressed("a/b.txt"); n != 5 || err != nil {
		t.Errorf("a/b.txt: got %d, %v; want 5", n, err)
	}
	if _, err := m.compressed("b/a.txt"); err == nil {
		t.Error("b/a.txt: got no error")
	}
}
