package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// sandbox is a temporary folder in which go commands see proxies instead of the
// workspace.
type sandbox struct {
	dir     string
	cache   string // GOMODCACHE
	env     []string
	verbose bool
}

// newSandbox returns a sandbox whose module cache is empty. Modules of others
// come from the module cache of this machine, and missing ones from its proxy.
// The checksum database does not have the modules of the proxies. GOENV=off,
// because an empty variable does not replace one of the user's configuration
// file, and even a GONOPROXY that matches nothing changes how the go command
// looks up a package. CGO_ENABLED=0, as goreleaser builds: with it, the packages come from
// the same entries of the build cache.
func newSandbox(dir string, verbose bool, proxies ...*proxy) (*sandbox, error) {
	out, err := exec.Command("go", "env", "GOPROXY", "GOMODCACHE", "GOSUMDB", "GOTOOLCHAIN").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	machine := strings.Split(string(out), "\n")
	var urls []string
	for _, p := range proxies {
		urls = append(urls, fileURL(p.dir))
	}
	urls = append(urls, fileURL(filepath.Join(machine[1], "cache", "download")), withoutDirect(machine[0]))
	s := &sandbox{dir: dir, cache: filepath.Join(dir, "cache"), verbose: verbose}
	s.env = append(os.Environ(),
		"GOENV=off", "GOWORK=off", "GOPRIVATE=", "GONOPROXY=", "GONOSUMDB="+root, "GOFLAGS=-mod=mod -modcacherw -trimpath",
		"GOPROXY="+strings.Join(urls, ","), "GOSUMDB="+machine[2], "GOTOOLCHAIN="+machine[3],
		"CGO_ENABLED=0", "GOMODCACHE="+s.cache, "GOBIN="+filepath.Join(dir, "bin"), "GIT_TERMINAL_PROMPT=0")
	return s, nil
}

// fileURL returns the URL of a folder.
func fileURL(dir string) string {
	dir = filepath.ToSlash(dir)
	if !strings.HasPrefix(dir, "/") {
		dir = "/" + dir // a drive letter
	}
	return "file://" + dir
}

// withoutDirect removes the last entry of a GOPROXY list if it is "direct", which
// would look for the tags where there are none yet.
func withoutDirect(proxies string) string {
	for _, separator := range []string{",", "|"} {
		proxies = strings.TrimSuffix(proxies, separator+"direct")
	}
	return proxies
}

// folder makes an empty folder in the sandbox.
func (s *sandbox) folder(name string) (string, error) {
	dir := filepath.Join(s.dir, name)
	return dir, os.MkdirAll(dir, 0o755)
}

// run runs the go command in a folder and returns its standard output.
func (s *sandbox) run(dir string, args ...string) (string, error) {
	if s.verbose {
		fmt.Fprintln(os.Stderr, "go", strings.Join(args, " "))
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, s.env
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out), nil
}

// program makes a module with a program that imports packages and uses none.
func (s *sandbox) program(name string, imports ...string) (string, error) {
	dir, err := s.folder(name)
	if err != nil {
		return "", err
	}
	var source strings.Builder
	source.WriteString("package main\n\n")
	for _, path := range imports {
		fmt.Fprintf(&source, "import _ %q\n", path)
	}
	source.WriteString("\nfunc main() {}\n")
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source.String()), 0o644); err != nil {
		return "", err
	}
	_, err = s.run(dir, "mod", "init", "example.com/"+name)
	return dir, err
}
