package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// part is software of others with the folders of its packages that are contained.
type part struct {
	name    string // path and version
	root    string // its folder
	folders []string
}

// certificatesSource is the address of the file that x509roots/fallback converts. Its
// licence, the Mozilla Public License, demands that whoever gets the certificates can get
// this file.
const certificatesSource = "https://hg.mozilla.org/projects/nss/raw-file/tip/lib/ckfw/builtins/certdata.txt"

// contained returns the Go standard library, the modules that the program contains on any
// platform of a release, the npm packages of the page, and the certificates of the image.
func contained(repo string) ([]part, error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	dir := strings.TrimSpace(string(goroot))
	all := []part{{name: "Go standard library", root: dir, folders: []string{dir}}}
	modules, err := linked(repo)
	if err != nil {
		return nil, err
	}
	packages, err := bundled(repo)
	if err != nil {
		return nil, err
	}
	dev := filepath.Join(repo, "dev")
	roots, err := list(dev, nil, "golang.org/x/crypto/x509roots/fallback/bundle")
	if err != nil {
		return nil, err
	}
	for i := range roots {
		roots[i].name += " (in the container image only)"
	}
	mozilla := filepath.Join(dev, "image", "mozilla")
	return append(slices.Concat(all, modules, packages, roots), part{
		name: "CA certificates of Mozilla (in the container image only), made of\n" + certificatesSource,
		root: mozilla, folders: []string{mozilla},
	}), nil
}

// linked returns the modules that the program contains on any of the six platforms.
func linked(repo string) ([]part, error) {
	var all []part
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			modules, err := list(filepath.Join(repo, "cmd", "nettrace"), []string{"GOWORK=", "GOOS=" + system, "GOARCH=" + arch}, "-deps", ".")
			if err != nil {
				return nil, fmt.Errorf("%s/%s: %w", system, arch, err)
			}
			all = append(all, modules...)
		}
	}
	slices.SortStableFunc(all, func(a, b part) int { return strings.Compare(a.name, b.name) })
	return joined(all), nil
}

// joined joins neighbours of one name.
func joined(all []part) []part {
	var parts []part
	for _, p := range all {
		if n := len(parts); n > 0 && parts[n-1].name == p.name {
			parts[n-1].folders = append(parts[n-1].folders, p.folders...)
		} else {
			parts = append(parts, p)
		}
	}
	return parts
}

// list returns the packages of others that go list lists, each as a part.
func list(dir string, env []string, args ...string) ([]part, error) {
	const format = `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}	{{.Dir}}	{{$.Dir}}{{end}}{{end}}`
	cmd := exec.Command("go", append([]string{"list", "-f", format}, args...)...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.String())
	}
	var all []part
	for line := range strings.Lines(string(out)) {
		if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 3 {
			all = append(all, part{name: fields[0], root: fields[1], folders: fields[2:]})
		}
	}
	return all, nil
}

// bundled returns the npm packages that the page of view contains.
func bundled(repo string) ([]part, error) {
	files, err := filepath.Glob(filepath.Join(repo, "view", "page", "npm", "*", "package.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("view/page/npm has no packages")
	}
	var all []part
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var description struct{ Name, Version string }
		if err := json.Unmarshal(data, &description); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		dir := filepath.Dir(file)
		all = append(all, part{name: "npm " + description.Name + " " + description.Version, root: dir, folders: []string{dir}})
	}
	return all, nil
}
