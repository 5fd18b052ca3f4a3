package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// Limits of a release.
const (
	maxRootZip = 3_000_000  // bytes, without casesArchive
	maxCases   = 2_000_000  // bytes of casesArchive, which the program contains
	maxProgram = 40_000_000 // bytes, stripped
	maxStart   = 20_000     // microseconds of nettrace version
	codecLines = 2          // of "go list -m all" and of go.sum where only codec is required
)

// checker runs the checks and prints what it measures.
type checker struct {
	options *options
	clone   string // folder of a clone of the repository
	sandbox *sandbox
	proxy   *proxy
	out     io.Writer

	first     *distribution // nil before the first check, and if it failed
	installed string        // the program that go install made
}

// all runs every check. The error joins those of the checks that failed.
func (c *checker) all() error {
	var failed []error
	for _, check := range []struct {
		name string
		run  func() error
	}{
		{"1. archives and packages of goreleaser", c.distribute},
		{"2. the deb installed and removed", c.installDeb},
		{"3. two builds in two folders", c.buildAgain},
		{"4. the release as users get it: sizes of the modules", c.sizes},
		{"   go get the root module", c.getRoot},
		{"   go mod tidy of a program", c.tidyProgram},
		{"   go install the program", c.install},
		{"   go vet of each module", c.vet},
		{"5. a program with codec only", c.codecAlone},
		{"6. the image", c.image},
		{"7. the program", c.program},
		{"   " + noticesFile, c.notices},
		{"   public API", c.api},
	} {
		start := time.Now()
		fmt.Fprintf(c.out, "%s\n", check.name)
		if err := check.run(); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", check.name, err))
		}
		c.figure("seconds", int(time.Since(start).Seconds()))
	}
	return errors.Join(failed...)
}

// figure prints a number that has no limit.
func (c *checker) figure(what string, n int) { fmt.Fprintf(c.out, "  %-45s %9d\n", what, n) }

// notices checks the list of licences.
func (c *checker) notices() error {
	modules, err := linked(c.clone)
	if err != nil {
		return err
	}
	c.figure("linked modules", len(modules))
	return checkNotices(c.clone)
}

// sizes prints the size of each module's zip.
func (c *checker) sizes() error {
	var err error
	for _, m := range c.proxy.modules {
		fmt.Fprintf(c.out, "  %-45s %9d bytes %5d files\n", m.path, m.size, m.files)
		if m.folder == "" {
			err = c.rootSize(&m)
		}
	}
	return err
}

// casesArchive holds the conformance cases.
const casesArchive = "conformance/cases/cases.tar.zst"

// rootSize checks the size of the root module's zip: of the conformance cases, and of all
// other files.
func (c *checker) rootSize(m *published) error {
	cases, err := m.compressed(casesArchive)
	if err != nil {
		return err
	}
	return errors.Join(
		c.atMost("conformance cases in the root zip, bytes", cases, maxCases),
		c.atMost("root zip without the cases, bytes", m.size-cases, maxRootZip))
}

// atMost prints a figure and returns an error if it is above its limit.
func (c *checker) atMost(what string, got, limit int64) error {
	fmt.Fprintf(c.out, "  %-45s %9d, limit %d\n", what, got, limit)
	if got > limit {
		return fmt.Errorf("%s: %d is above %d", what, got, limit)
	}
	return nil
}

// codecAlone checks that a module that requires codec requires nothing else.
func (c *checker) codecAlone() error {
	dir, err := c.sandbox.program("codecalone", modulePath("codec"))
	if err != nil {
		return err
	}
	if err := c.getAndBuild(dir, modulePath("codec")); err != nil {
		return err
	}
	list, err := c.sandbox.run(dir, "list", "-m", "all")
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		return err
	}
	return errors.Join(
		c.atMost("lines of go list -m all", int64(strings.Count(list, "\n")), codecLines),
		c.atMost("lines of go.sum after go mod tidy", int64(strings.Count(string(sums), "\n")), codecLines),
		c.onlyCodec(dir))
}

// onlyCodec checks that a program that imports codec vendors packages of codec only, and
// contains nothing else but the standard library.
func (c *checker) onlyCodec(dir string) error {
	if _, err := c.sandbox.run(dir, "mod", "vendor"); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(dir, "vendor", "modules.txt"))
	if err != nil {
		return err
	}
	var vendored []string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "#") {
			vendored = append(vendored, strings.TrimSpace(line))
		}
	}
	deps, err := c.sandbox.run(dir, "list", "-mod=vendor", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")
	if err != nil {
		return err
	}
	linked := strings.Fields(strings.ReplaceAll(deps, "example.com/codecalone", ""))
	return errors.Join(c.belowCodec("vendored packages, all of codec", vendored), c.belowCodec("packages of go list -deps, all of codec", linked))
}

// belowCodec prints the number of packages. It is an error if one is not of codec.
func (c *checker) belowCodec(what string, packages []string) error {
	c.figure(what, len(packages))
	codec := modulePath("codec")
	for _, p := range packages {
		if p != codec && !strings.HasPrefix(p, codec+"/") {
			return fmt.Errorf("%s: got %s", what, p)
		}
	}
	if len(packages) == 0 {
		return fmt.Errorf("%s: got none", what)
	}
	return nil
}

// getRoot checks that go get finds the root module.
func (c *checker) getRoot() error {
	dir, err := c.sandbox.program("getroot", root)
	if err != nil {
		return err
	}
	return c.getAndBuild(dir, root)
}

// getAndBuild gets a module, tidies and builds.
func (c *checker) getAndBuild(dir, path string) error {
	for _, args := range [][]string{{"get", path + "@" + c.proxy.version}, {"mod", "tidy"}, {"build", "."}} {
		if _, err := c.sandbox.run(dir, args...); err != nil {
			return err
		}
	}
	return nil
}

// tidyProgram checks that a program with the packages for events, processes and
// profiles does not download the traces.
func (c *checker) tidyProgram() error {
	var imports []string
	for _, folder := range []string{"codec", "codec/clr", "eventpipe", "profile"} {
		imports = append(imports, path.Join(root, folder))
	}
	dir, err := c.sandbox.program("tidyprogram", imports...)
	if err != nil {
		return err
	}
	if err := c.getAndBuild(dir, root); err != nil {
		return err
	}
	escaped, err := module.EscapePath(modulePath("corpora"))
	if err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(c.sandbox.cache, "cache", "download", filepath.FromSlash(escaped), "@v", "*.zip"))
	if err != nil {
		return err
	}
	return c.atMost("downloads of corpora", int64(len(found)), 0)
}

// vet checks that each module is complete outside of the workspace, tests included.
func (c *checker) vet() error {
	for _, m := range c.proxy.modules {
		dir := filepath.Join(c.sandbox.dir, "vet", strings.ReplaceAll(m.path, "/", "_"))
		if err := zip.Unzip(dir, module.Version{Path: m.path, Version: c.proxy.version}, m.zip); err != nil {
			return err
		}
		packages, err := c.sandbox.run(dir, "list", "./...")
		if err != nil {
			return err
		}
		count := strings.Count(packages, "\n")
		fmt.Fprintf(c.out, "  %-45s %9d packages\n", m.path, count)
		if count == 0 {
			continue // go vet refuses a module without packages
		}
		if _, err := c.sandbox.run(dir, "vet", "./..."); err != nil {
			return err
		}
	}
	return nil
}
