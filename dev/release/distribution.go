package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// artifact is a file that goreleaser made. The names are those of its artifacts.json.
type artifact struct {
	Name string `json:"name"`
	Path string `json:"path"` // in the clone
	OS   string `json:"goos"`
	Arch string `json:"goarch"`
	Type string `json:"type"`
}

// The types of artifacts that are checked.
const (
	typeBinary  = "Binary"
	typeArchive = "Archive"
	typePackage = "Linux Package"
)

// distribution is a clone of the repository in which goreleaser runs. The last commit has
// the tags of the version.
type distribution struct {
	check     *checker
	dir       string
	env       []string
	artifacts []artifact
}

// newDistribution clones the repository into a folder of the sandbox and sets the tags.
func (c *checker) newDistribution(name string) (*distribution, error) {
	d := &distribution{check: c, dir: filepath.Join(c.sandbox.dir, name)}
	d.env = append(os.Environ(), "GOFLAGS=", "GOWORK=", "GORELEASER_CURRENT_TAG="+c.proxy.version)
	if _, err := git(c.sandbox.dir, "clone", "--quiet", c.clone, d.dir); err != nil {
		return nil, err
	}
	for _, tag := range tagNames(c.proxy.version) {
		if _, err := git(d.dir, "tag", "--force", tag); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// build builds the programs of all platforms with goreleaser, or, without options.all, that
// of this machine as its hook does: with the flags of .goreleaser.yaml.
func (d *distribution) build() error {
	if d.check.options.all {
		// The files that the hook makes are in archives, not in the programs.
		return d.run("build", "--snapshot", "--clean", "--skip=before")
	}
	cmd := exec.Command("make", "--no-print-directory", "release-files")
	cmd.Dir, cmd.Env = d.dir, d.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make release-files: %w\n%s", err, out)
	}
	program := path.Join("bin", "release", "nettrace")
	d.artifacts = []artifact{{Name: "nettrace", Path: program, OS: runtime.GOOS, Arch: runtime.GOARCH, Type: typeBinary}}
	return nil
}

// run runs goreleaser and reads the list of artifacts.
func (d *distribution) run(args ...string) error {
	if err := d.goreleaser(args...); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(d.dir, "dist", "artifacts.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &d.artifacts)
}

// goreleaser runs goreleaser without reading what it made.
func (d *distribution) goreleaser(args ...string) error {
	cmd := exec.Command(filepath.Join(d.check.options.repo, "bin", "goreleaser"), args...)
	cmd.Dir, cmd.Env = d.dir, d.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("goreleaser %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// of returns the artifacts of a type.
func (d *distribution) of(kind string) []artifact {
	var found []artifact
	for _, a := range d.artifacts {
		if a.Type == kind {
			found = append(found, a)
		}
	}
	return found
}

// host returns the artifact of a type for this machine, whose name ends in suffix.
func (d *distribution) host(kind, suffix string) (string, error) {
	for _, a := range d.of(kind) {
		if a.OS == runtime.GOOS && a.Arch == runtime.GOARCH && strings.HasSuffix(a.Name, suffix) {
			return filepath.Join(d.dir, a.Path), nil
		}
	}
	return "", fmt.Errorf("goreleaser made no %s%s for %s/%s", kind, suffix, runtime.GOOS, runtime.GOARCH)
}

// sums returns the SHA-256 of each program, by platform.
func (d *distribution) sums() (map[platform]string, error) {
	sums := make(map[platform]string)
	var failed []error
	for _, a := range d.of(typeBinary) {
		sum, err := fileSum(filepath.Join(d.dir, a.Path))
		sums[platform{a.OS, a.Arch}] = sum
		failed = append(failed, err)
	}
	return sums, errors.Join(failed...)
}

// fileSum returns the SHA-256 of a file.
func fileSum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("%x", h.Sum(nil)), err
}
