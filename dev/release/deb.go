package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// debRoot is a folder in which dpkg installs a package as if it were the root of a
// system, so that the packages of this machine do not change.
type debRoot struct {
	dir string
	env []string
}

// debReason returns why a package cannot be installed here, or "".
func debReason() string {
	if runtime.GOOS != "linux" {
		return "dpkg is a program of Linux"
	}
	for _, name := range []string{"dpkg", "man", "bash"} {
		if _, err := exec.LookPath(name); err != nil {
			return "no " + name
		}
	}
	if os.Geteuid() != 0 && exec.Command("sudo", "-n", "true").Run() != nil {
		return "dpkg needs root, or sudo without a password"
	}
	return ""
}

// leaveOut prints why a check cannot run. In CI, where it has to run, it returns an error.
func (c *checker) leaveOut(reason string) error {
	if os.Getenv("CI") != "" {
		return errors.New(reason)
	}
	fmt.Fprintf(c.out, "  left out: %s\n", reason)
	return nil
}

// installDeb installs the package, uses the program, its manual page and a completion,
// removes the package and checks that nothing is left.
func (c *checker) installDeb() error {
	if !c.options.all {
		fmt.Fprintln(c.out, leftOut)
		return nil
	}
	if reason := debReason(); reason != "" {
		return c.leaveOut(reason)
	}
	d, err := c.snapshot()
	if err != nil {
		return err
	}
	name, err := d.host(typePackage, ".deb")
	if err != nil {
		return err
	}
	root, err := newDebRoot(filepath.Join(c.sandbox.dir, "deb"))
	if err != nil {
		return err
	}
	before, err := root.files()
	if err != nil {
		return err
	}
	if err := root.dpkg("--install", name); err != nil {
		return err
	}
	installed, err := root.files()
	if err != nil {
		return err
	}
	c.figure("installed files", len(installed)-len(before))
	return errors.Join(c.useVersion(root), c.useManual(root), c.useCompletion(root), c.removeDeb(root, before))
}

// removeDeb removes the package and compares the files with those before it was installed.
func (c *checker) removeDeb(r *debRoot, before []string) error {
	if err := r.dpkg("--purge", "nettrace"); err != nil {
		return err
	}
	left, err := r.files()
	if err != nil {
		return err
	}
	c.figure("files left after dpkg --purge", len(left)-len(before))
	if !slices.Equal(left, before) {
		return fmt.Errorf("dpkg --purge leaves files: got %q, want %q", left, before)
	}
	return nil
}

// newDebRoot makes the database of dpkg in a folder. All users can read the folder,
// because man changes its user.
func newDebRoot(dir string) (*debRoot, error) {
	for _, folder := range []string{"info", "updates", "triggers"} {
		if err := os.MkdirAll(filepath.Join(dir, "var/lib/dpkg", folder), 0o755); err != nil {
			return nil, err
		}
	}
	r := &debRoot{dir: dir, env: append(os.Environ(), "LC_ALL=C", "MANPAGER=cat", "MANWIDTH=100", "PATH="+filepath.Join(dir, "usr/bin")+":"+os.Getenv("PATH"))}
	err := os.WriteFile(filepath.Join(dir, "var/lib/dpkg/status"), nil, 0o644)
	return r, errors.Join(err, os.Chmod(filepath.Dir(dir), 0o755))
}

// dpkg runs dpkg. Images of Debian for containers exclude manual pages: they are included.
func (r *debRoot) dpkg(args ...string) error {
	args = append([]string{"dpkg", "--root=" + r.dir, "--log=/dev/null", "--path-include=*"}, args...)
	if os.Geteuid() != 0 {
		args = append([]string{"sudo", "-n"}, args...)
	}
	_, err := r.run(args[0], args[1:]...)
	return err
}

// run runs a program that finds the installed files first, and returns its output.
func (r *debRoot) run(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = r.env
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out), err
}

// files returns the files and folders of the root without the database of dpkg.
func (r *debRoot) files() ([]string, error) {
	var files []string
	err := filepath.WalkDir(r.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "dpkg" && entry.IsDir() {
			return fs.SkipDir
		}
		files = append(files, path)
		return err
	})
	return files, err
}

// useVersion runs the installed program.
func (c *checker) useVersion(r *debRoot) error {
	out, err := r.run(filepath.Join(r.dir, "usr/bin/nettrace"), "version")
	if err == nil {
		fmt.Fprintf(c.out, "  %s", out)
		err = c.checkVersion(out)
	}
	return err
}

// useManual reads the installed manual page.
func (c *checker) useManual(r *debRoot) error {
	page, err := r.run("man", "-M", filepath.Join(r.dir, "usr/share/man"), "nettrace")
	if err != nil {
		return err
	}
	c.figure("lines of man nettrace", strings.Count(page, "\n"))
	if want := "NAME\n       nettrace - "; !strings.Contains(page, want) {
		return fmt.Errorf("man nettrace prints %q, want %q in it", page, want)
	}
	return nil
}

// completion completes the words "nettrace repo" in bash. The function that it defines is
// one of the package bash-completion, which need not be installed.
const completion = `
_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}; }
__ltrim_colon_completions() { :; }
compopt() { :; }
source "$1"
COMP_WORDS=(nettrace repo) COMP_CWORD=1 COMP_LINE="nettrace repo" COMP_POINT=13
__start_nettrace
printf '%s\n' "${COMPREPLY[@]}"
`

// useCompletion completes a command with the installed completion.
func (c *checker) useCompletion(r *debRoot) error {
	out, err := r.run("bash", "--norc", "--noprofile", "-c", completion, "bash", filepath.Join(r.dir, "usr/share/bash-completion/completions/nettrace"))
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "  %-45s %9s\n", "bash completes nettrace repo to", strings.TrimSpace(out))
	if strings.TrimSpace(out) != "report" {
		return fmt.Errorf("bash completes nettrace repo to %q, want report", out)
	}
	return nil
}
