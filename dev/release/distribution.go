package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
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

// run runs goreleaser, with a configuration for this machine's platform unless all
// platforms are to be built, and reads the list of artifacts.
func (d *distribution) run(args ...string) error {
	config := ".goreleaser.yaml"
	if !d.check.options.all {
		config = filepath.Join("bin", "host.yaml")
		if err := d.writeHostConfig(config); err != nil {
			return err
		}
	}
	if err := d.goreleaser(append(args, "--config", config)...); err != nil {
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

// writeHostConfig writes the configuration of goreleaser with this machine's platform
// only.
func (d *distribution) writeHostConfig(name string) error {
	data, err := os.ReadFile(filepath.Join(d.dir, ".goreleaser.yaml"))
	if err != nil {
		return err
	}
	text, err := hostConfig(string(data), platform{runtime.GOOS, runtime.GOARCH})
	if err != nil {
		return err
	}
	path := filepath.Join(d.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// hostConfig replaces the lists of systems and processors in a configuration.
func hostConfig(text string, p platform) (string, error) {
	var systems, processors []string
	for _, p := range platforms() {
		systems, processors = append(systems, p.os), append(processors, p.arch)
	}
	for _, list := range []struct {
		key, value string
		all        []string
	}{{"goos", p.os, systems}, {"goarch", p.arch, processors}} {
		slices.Sort(list.all)
		old := ""
		for line := range strings.Lines(text) {
			if strings.HasPrefix(strings.TrimSpace(line), list.key+": [") {
				old = line
			}
		}
		_, values, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(old), "]"), "[")
		got := strings.Split(values, ", ")
		slices.Sort(got)
		if want := slices.Compact(list.all); !slices.Equal(got, want) {
			return "", fmt.Errorf(".goreleaser.yaml: %s is %q, want %q", list.key, got, want)
		}
		text = strings.Replace(text, values, list.value, 1)
	}
	return text, nil
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
