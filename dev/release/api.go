package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/sumdb/dirhash"
)

// unreleased is the section of CHANGELOG.md with the changes after the last version.
const unreleased = "Unreleased"

// apiCheck compares the public API of modules with that of their last tags.
type apiCheck struct {
	tool    string // gorelease
	clone   string // folder of a clone that may be changed
	head    *proxy // of the last commit
	sandbox *sandbox
	out     io.Writer
}

// api compares the public API of each released module with its last tag.
func api(o *options, out io.Writer) error {
	return inClone(o, func(dir, clone string) error { return compareAPI(o, dir, clone, out) })
}

// api compares the public API in the clone of the other checks, which change nothing after
// it.
func (c *checker) api() error {
	dir, err := c.sandbox.folder("api") // with a module cache of its own: the versions are the same
	if err != nil {
		return err
	}
	return compareAPI(c.options, dir, c.clone, c.out)
}

// compareAPI prints what gorelease reports for each released module that has a tag. An
// incompatible change needs an entry under "Breaking" in CHANGELOG.md.
func compareAPI(o *options, dir, clone string, out io.Writer) error {
	base := &proxy{dir: filepath.Join(dir, "base")}
	last := make(map[string]string) // by folder
	for _, folder := range released() {
		version, err := lastTag(clone, folder)
		if err != nil {
			return err
		}
		if version == "" {
			fmt.Fprintf(out, "  %-45s no tag, nothing to compare with\n", modulePath(folder))
			continue
		}
		base.version, last[folder] = version, version
		if err := base.publish(clone, path.Join(folder, version), folder); err != nil {
			return err
		}
	}
	if len(last) == 0 {
		return warnShallow(clone, out)
	}
	c := &apiCheck{tool: filepath.Join(o.repo, "bin", "gorelease"), clone: clone, out: out}
	c.head = &proxy{dir: filepath.Join(dir, "head"), version: nextVersion(o.version, base.version)}
	var err error
	if c.sandbox, err = newSandbox(dir, o.verbose, base, c.head); err != nil {
		return err
	}
	if err := c.publishHead(); err != nil {
		return err
	}
	return c.compare(last)
}

// warnShallow prints a line if a clone may have no tags because it is shallow.
func warnShallow(clone string, out io.Writer) error {
	shallow, err := git(clone, "rev-parse", "--is-shallow-repository")
	if err == nil && strings.TrimSpace(string(shallow)) == "true" {
		fmt.Fprintln(out, "  the repository is a shallow clone and may lack tags: git fetch --unshallow --tags")
	}
	return err
}

// lastTag returns the version of the last tag of a module before the last commit, or ""
// if it has none. Tags of the last commit itself do not count: it is what is compared.
func lastTag(repo, folder string) (string, error) {
	prefix := ""
	if folder != "" {
		prefix = folder + "/"
	}
	out, err := git(repo, "tag", "--list", "--merged", "HEAD", "--no-contains", "HEAD", prefix+"v*")
	if err != nil {
		return "", err
	}
	last := ""
	for name := range strings.FieldsSeq(string(out)) {
		version := strings.TrimPrefix(name, prefix)
		if semver.Compare(version, last) > 0 && semver.Prerelease(version) == "" {
			last = version
		}
	}
	return last, nil
}

// nextVersion returns the version that is compared with the last one: the version that
// the modules require of each other, or if that is the last one a later one.
func nextVersion(version, last string) string {
	if semver.Compare(version, last) > 0 {
		return version
	}
	var major, minor int
	fmt.Sscanf(semver.MajorMinor(last), "v%d.%d", &major, &minor)
	return fmt.Sprintf("v%d.%d.0", major, minor+1)
}

// publishHead publishes the modules of the last commit, each of which requires
// head.version of those before it. It commits the changed go.mod and go.sum.
func (c *apiCheck) publishHead() error {
	for _, folder := range released() {
		if err := c.requireHead(filepath.Join(c.clone, folder)); err != nil {
			return err
		}
		if _, err := git(c.clone, "add", "."); err != nil {
			return err
		}
		if _, err := git(c.clone, "-c", "user.name=release", "-c", "user.email=release@localhost",
			"commit", "--quiet", "--allow-empty", "--message", "Require "+c.head.version); err != nil {
			return err
		}
		if err := c.head.publish(c.clone, "HEAD", folder); err != nil {
			return err
		}
	}
	return nil
}

// requireHead makes the module in a folder require the modules of head, with their sums.
func (c *apiCheck) requireHead(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	file, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, m := range c.head.modules {
		for _, r := range file.Require {
			if r.Mod.Path != m.path {
				continue
			}
			if err := file.AddRequire(m.path, c.head.version); err != nil {
				return err
			}
		}
		lines, err := m.sums(c.head.version)
		if err != nil {
			return err
		}
		sums.WriteString(lines)
	}
	if data, err = file.Format(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), data, 0o644); err != nil {
		return err
	}
	return appendTo(filepath.Join(dir, "go.sum"), sums.String())
}

// sums returns the lines of go.sum for a published module.
func (m *published) sums(version string) (string, error) {
	archive, err := dirhash.HashZip(m.zip, dirhash.Hash1)
	if err != nil {
		return "", err
	}
	gomod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return os.Open(strings.TrimSuffix(m.zip, ".zip") + ".mod")
	})
	return fmt.Sprintf("%s %s %s\n%[1]s %[2]s/go.mod %[4]s\n", m.path, version, archive, gomod), err
}

// appendTo appends text to a file, which it creates if it does not exist.
func appendTo(name, text string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// compare runs gorelease for each module with a last version.
func (c *apiCheck) compare(last map[string]string) error {
	text, err := readSections(c.clone, c.head.version)
	if err != nil {
		return err
	}
	var failed []error
	for _, folder := range released() {
		version, ok := last[folder]
		if !ok {
			continue
		}
		report, err := c.gorelease(folder, version)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		incompatible := strings.Contains(report, "\n## incompatible changes\n")
		fmt.Fprintf(c.out, "  %-45s compared with %s: %s\n", modulePath(folder), version, summary(report))
		if incompatible && !hasBreaking(text) {
			failed = append(failed, fmt.Errorf(
				"%s has incompatible changes, and CHANGELOG.md has no entry under \"### Breaking\":\n%s", modulePath(folder), report))
		}
	}
	return errors.Join(failed...)
}

// readSections returns the sections of CHANGELOG.md of a version and of what is not
// released.
func readSections(repo, version string) (string, error) {
	data, err := os.ReadFile(filepath.Join(repo, "CHANGELOG.md"))
	if err != nil {
		return "", err
	}
	next, _ := section(string(data), version)
	rest, _ := section(string(data), unreleased)
	return next + "\n" + rest, nil
}

// gorelease returns the report on a module.
func (c *apiCheck) gorelease(folder, base string) (string, error) {
	cmd := exec.Command(c.tool, "-base="+base, "-version="+c.head.version)
	cmd.Dir, cmd.Env = filepath.Join(c.clone, folder), c.sandbox.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("gorelease in %q: %w\n%s", folder, err, out)
	}
	return "\n" + string(out), nil
}

// summary counts the changes of a report.
func summary(report string) string {
	compatible, incompatible := 0, 0
	var counted *int
	for line := range strings.Lines(report) {
		switch {
		case strings.HasPrefix(line, "## incompatible changes"):
			counted = &incompatible
		case strings.HasPrefix(line, "## compatible changes"):
			counted = &compatible
		case strings.HasPrefix(line, "#"), strings.TrimSpace(line) == "":
			counted = nil
		case counted != nil:
			*counted++
		}
	}
	return fmt.Sprintf("%d compatible changes, %d incompatible ones", compatible, incompatible)
}
