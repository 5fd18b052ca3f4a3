package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// programFolder has the package of the program that is released in archives.
const programFolder = "cmd/nettrace"

// platform is a system and a processor that the program is built for.
type platform struct{ os, arch string }

// platforms returns those of a release, as .goreleaser.yaml lists them.
func platforms() []platform {
	var all []platform
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			all = append(all, platform{system, arch})
		}
	}
	return all
}

// dependency is a module of others with the folders of its packages that the program
// contains.
type dependency struct {
	name    string // path and version
	root    string // its folder
	folders []string
}

// linked returns the modules that the program contains on any of the platforms.
func linked(repo string) ([]dependency, error) {
	found := make(map[string]*dependency)
	for _, p := range platforms() {
		list, err := listPackages(filepath.Join(repo, programFolder), []string{"GOWORK=", "GOOS=" + p.os, "GOARCH=" + p.arch, "CGO_ENABLED=0"}, "-deps", ".")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		for _, m := range list {
			if known := found[m.name]; known != nil {
				known.folders = append(known.folders, m.folders...)
			} else {
				found[m.name] = &m
			}
		}
	}
	var all []dependency
	for _, m := range found {
		all = append(all, *m)
	}
	slices.SortFunc(all, func(a, b dependency) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// listPackages returns the packages of others that go list lists, each as a dependency.
func listPackages(dir string, env []string, args ...string) ([]dependency, error) {
	cmd := exec.Command("go", append([]string{"list", "-f", "{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}\t{{.Dir}}"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.String())
	}
	var all []dependency
	for line := range strings.Lines(string(out)) {
		if m, ok := parsePackage(strings.TrimSuffix(line, "\n")); ok {
			all = append(all, m)
		}
	}
	return all, nil
}

// parsePackage parses a line of go list. It returns false for packages of the standard
// library and of this repository.
func parsePackage(line string) (dependency, bool) {
	fields := strings.Split(line, "\t")
	if len(fields) != 4 || fields[0] == root || strings.HasPrefix(fields[0], root+"/") {
		return dependency{}, false
	}
	return dependency{name: fields[0] + " " + fields[1], root: fields[2], folders: []string{fields[3]}}, true
}

func (p platform) String() string { return p.os + "/" + p.arch }
