package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// starts is how often the program is started to measure how long it takes.
const starts = 20

// leftOut is what the checks of goreleaser print without options.all.
const leftOut = "  left out: with ALL=1, as every night. It needs goreleaser, whose 1,843 packages take minutes to compile"

// distribute checks the configuration of goreleaser, and makes the archives and packages
// of a snapshot. Without options.all it makes the program of this machine only.
func (c *checker) distribute() error {
	d, err := c.newDistribution("first")
	if err != nil {
		return err
	}
	if !c.options.all {
		fmt.Fprintln(c.out, leftOut)
		if err := d.build(); err != nil {
			return err
		}
		c.first = d
		return nil
	}
	if err := d.goreleaser("check"); err != nil {
		return err
	}
	if err := d.run("release", "--snapshot", "--clean", "--skip=publish,sign,sbom,docker,announce"); err != nil {
		return err
	}
	c.first = d
	packages := d.of(typePackage)
	for _, a := range packages {
		info, err := os.Stat(filepath.Join(d.dir, a.Path))
		if err != nil {
			return err
		}
		fmt.Fprintf(c.out, "  %-45s %9d bytes\n", a.Name, info.Size())
	}
	if len(packages) < 2 {
		return fmt.Errorf("goreleaser made %d packages, want deb and rpm", len(packages))
	}
	return d.checkArchives()
}

// snapshot returns what the first check made.
func (c *checker) snapshot() (*distribution, error) {
	if c.first == nil {
		return nil, errors.New("nothing was built")
	}
	return c.first, nil
}

// buildAgain builds the programs in another folder and compares them with those of the
// first. With options.all it uses an empty build cache, so that everything is compiled a
// second time.
func (c *checker) buildAgain() error {
	first, err := c.snapshot()
	if err != nil {
		return err
	}
	second, err := c.newDistribution("second")
	if err != nil {
		return err
	}
	if c.options.all {
		second.env = append(second.env, "GOCACHE="+filepath.Join(second.dir, "bin", "cache"))
	} else {
		fmt.Fprintln(c.out, "  packages come from the build cache: with ALL=1, as every night, they are compiled a second time")
	}
	if err := second.build(); err != nil {
		return err
	}
	want, err := first.sums()
	if err != nil {
		return err
	}
	got, err := second.sums()
	if err != nil {
		return err
	}
	return c.sameSums(got, want)
}

// sameSums prints the SHA-256 of each platform's program and compares two builds.
func (c *checker) sameSums(got, want map[platform]string) error {
	if len(got) != len(want) || len(want) == 0 {
		return fmt.Errorf("got %d programs, want the %d of the first build", len(got), len(want))
	}
	var failed []error
	for _, p := range platforms() {
		if want[p] == "" {
			continue
		}
		fmt.Fprintf(c.out, "  %-15s %s\n", p, want[p])
		if got[p] != want[p] {
			failed = append(failed, fmt.Errorf("%s: the second build has SHA-256 %s, want %s", p, got[p], want[p]))
		}
	}
	return errors.Join(failed...)
}

// install checks that go install makes a program that knows its version.
func (c *checker) install() error {
	program := modulePath(programFolder)
	if _, err := c.sandbox.run(c.sandbox.dir, "install", "-trimpath", "-ldflags=-s -w", program+"@"+c.proxy.version); err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(c.sandbox.dir, "bin", "nettrace*"))
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return fmt.Errorf("go install wrote %q, want one program", found)
	}
	c.installed = found[0]
	out, err := exec.Command(c.installed, "version").Output()
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "  %s", out)
	return wantPrefix(string(out), "nettrace "+c.proxy.version+", commit of tag cmd/nettrace/"+c.proxy.version+", ")
}

// checkVersion checks what a program that goreleaser made prints as its version.
func (c *checker) checkVersion(text string) error {
	commit, err := git(c.clone, "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return err
	}
	return wantPrefix(text, "nettrace "+c.proxy.version+", commit "+strings.TrimSpace(string(commit))+", ")
}

// wantPrefix returns an error if the text that nettrace version prints begins otherwise.
func wantPrefix(text, want string) error {
	if !strings.HasPrefix(text, want) {
		return fmt.Errorf("nettrace version prints %q, want %q", text, want)
	}
	return nil
}

// program checks the size of the released program, how fast it starts, and that it
// contains the same modules as the one that go install makes.
func (c *checker) program() error {
	d, err := c.snapshot()
	if err != nil {
		return err
	}
	name, err := d.host(typeBinary, "")
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	fastest := time.Hour
	for range starts {
		start := time.Now()
		if err := exec.Command(name, "version").Run(); err != nil {
			return err
		}
		fastest = min(fastest, time.Since(start))
	}
	return errors.Join(
		c.atMost("stripped program, bytes", info.Size(), maxProgram),
		c.atMost(fmt.Sprintf("nettrace version, the fastest of %d, µs", starts), fastest.Microseconds(), maxStart),
		c.sameModules(name))
}

// sameModules compares the modules of others in the released program with those in the
// installed one. The first is built in the workspace, which may choose newer versions.
func (c *checker) sameModules(name string) error {
	got, err := contained(name)
	if err != nil {
		return err
	}
	want, err := contained(c.installed)
	if err != nil {
		return err
	}
	c.figure("modules in the program", len(got))
	if !slices.Equal(got, want) {
		return fmt.Errorf("the released program has modules %q, want those of go install: %q", got, want)
	}
	return nil
}

// contained returns the modules of others in a program, with their versions.
func contained(name string) ([]string, error) {
	info, err := buildinfo.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var modules []string
	for _, m := range info.Deps {
		if m.Path != root && !strings.HasPrefix(m.Path, root+"/") {
			modules = append(modules, m.Path+" "+m.Version)
		}
	}
	return modules, nil
}
