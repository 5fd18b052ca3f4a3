package main

import (
	archivezip "archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// root is the path of the module in the root of the repository.
const root = "github.com/nettrace-go/nettrace"

// released returns the folders of the modules that are released, in the order of
// their tags: each module requires only modules before it.
func released() []string {
	return []string{"codec", "", "cmd/nettrace", "corpora", "integrations"}
}

// modulePath returns the path of the module in a folder of the repository.
func modulePath(folder string) string { return path.Join(root, folder) }

// proxy is a module proxy of files: the layout that GOPROXY=file://DIR expects.
type proxy struct {
	dir     string
	version string
	modules []published
}

// published is a module of a proxy.
type published struct {
	folder string // in the repository, "" for its root
	path   string
	zip    string // file name
	size   int64  // of the zip, in bytes
	files  int
}

// makeProxy writes a proxy with the modules of a repository's last commit. The
// repository must not be a linked worktree of git: package zip does not support
// those.
func makeProxy(repo, dir, version string, folders []string) (*proxy, error) {
	p := &proxy{dir: dir, version: version}
	for _, folder := range folders {
		if err := p.publish(repo, "HEAD", folder); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// publish adds the module in a folder of a repository at a revision.
func (p *proxy) publish(repo, revision, folder string) error {
	m := published{folder: folder, path: modulePath(folder)}
	if err := p.write(repo, revision, &m); err != nil {
		return fmt.Errorf("%s: %w", m.path, err)
	}
	p.modules = append(p.modules, m)
	return nil
}

// write writes the four files of a module.
func (p *proxy) write(repo, revision string, m *published) error {
	gomod, err := moduleFile(repo, revision, m.folder)
	if err != nil {
		return err
	}
	if err := checkRequirements(gomod, p.version); err != nil {
		return err
	}
	dir, err := p.versions(m.path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var archive bytes.Buffer
	version := module.Version{Path: m.path, Version: p.version}
	if err := zip.CreateFromVCS(&archive, version, repo, revision, m.folder); err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{p.version, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		return err
	}
	base := filepath.Join(dir, p.version)
	for name, data := range map[string][]byte{
		filepath.Join(dir, "list"): []byte(p.version + "\n"),
		base + ".info":             info,
		base + ".mod":              gomod,
		base + ".zip":              archive.Bytes(),
	} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return err
		}
	}
	m.zip, m.size = base+".zip", int64(archive.Len())
	checked, err := zip.CheckZip(version, m.zip)
	m.files = len(checked.Valid)
	return err
}

// moduleFile returns the go.mod of a folder at a revision. The folder must have a licence
// too: without one, the go command would take the file of the root.
func moduleFile(repo, revision, folder string) ([]byte, error) {
	if _, err := git(repo, "show", revision+":"+path.Join(folder, "LICENSE")); err != nil {
		return nil, err
	}
	return git(repo, "show", revision+":"+path.Join(folder, "go.mod"))
}

// checkRequirements returns an error if a go.mod requires another version than version of
// a module of this repository, or replaces a module: go install refuses that.
func checkRequirements(gomod []byte, version string) error {
	file, err := modfile.Parse("go.mod", gomod, nil)
	if err != nil {
		return err
	}
	for _, r := range file.Require {
		if (r.Mod.Path == root || strings.HasPrefix(r.Mod.Path, root+"/")) && r.Mod.Version != version {
			return fmt.Errorf("go.mod requires %s %s, want %s: see RELEASING.md", r.Mod.Path, r.Mod.Version, version)
		}
	}
	if len(file.Replace) > 0 {
		return fmt.Errorf("go.mod replaces %s", file.Replace[0].Old.Path)
	}
	return nil
}

// compressed returns the bytes that a file of the module takes in its zip.
func (m *published) compressed(file string) (int64, error) {
	r, err := archivezip.OpenReader(m.zip)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	for _, f := range r.File {
		if strings.HasSuffix(f.Name, "/"+file) {
			return int64(f.CompressedSize64), nil
		}
	}
	return 0, fmt.Errorf("%s has no file %s", m.zip, file)
}

// versions returns the folder with the versions of a module.
func (p *proxy) versions(path string) (string, error) {
	escaped, err := module.EscapePath(path)
	return filepath.Join(p.dir, filepath.FromSlash(escaped), "@v"), err
}

// warnUncommitted prints a line if the working tree differs from the last commit,
// because the proxy has the committed files only.
func warnUncommitted(repo string) error {
	status, err := git(repo, "status", "--porcelain")
	if err == nil && len(status) > 0 {
		fmt.Fprintf(os.Stderr, "release: warning: %d files are not committed and not checked\n", bytes.Count(status, []byte("\n")))
	}
	return err
}

// git runs git in a folder and returns its output.
func git(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}
