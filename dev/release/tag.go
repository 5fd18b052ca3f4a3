package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// tagNames returns the tags of a version: one for each released module.
func tagNames(version string) []string {
	var names []string
	for _, folder := range released() {
		names = append(names, path.Join(folder, version))
	}
	return names
}

// tag prints the commands that tag the last commit with a version. With options.run it
// sets the tags. It never pushes them.
func tag(o *options, out io.Writer) error {
	if err := taggable(o); err != nil {
		return err
	}
	names := tagNames(o.version)
	for _, name := range names {
		args := []string{"tag", "--annotate", "--message", "Release " + o.version, name}
		fmt.Fprintf(out, "git tag --annotate --message 'Release %s' %s\n", o.version, name)
		if !o.run {
			continue
		}
		if _, err := git(o.repo, args...); err != nil {
			return err
		}
	}
	// GitHub starts no workflow for a push of more than three tags.
	for part := range slices.Chunk(names, 3) {
		fmt.Fprintf(out, "git push --atomic origin %s\n", strings.Join(part, " "))
	}
	if !o.run {
		fmt.Fprintln(out, "nothing was tagged: RUN=1 sets the tags")
		return nil
	}
	fmt.Fprintf(out, "%d tags were set and not pushed: run the lines git push in this order\n", len(names))
	return nil
}

// taggable returns an error for each reason why the last commit cannot be tagged.
func taggable(o *options) error {
	if semver.Canonical(o.version) != o.version || o.version == "" {
		return fmt.Errorf("the version is %q, want one such as v0.2.0", o.version)
	}
	var failed []error
	status, err := git(o.repo, "status", "--porcelain")
	if err != nil {
		return err
	}
	if n := bytes.Count(status, []byte("\n")); n > 0 {
		failed = append(failed, fmt.Errorf("%d files are not committed", n))
	}
	for i, folder := range released() {
		name := tagNames(o.version)[i]
		existing, err := git(o.repo, "tag", "--list", name)
		if err == nil && len(existing) > 0 {
			err = fmt.Errorf("the tag exists")
		}
		if err == nil {
			err = releasable(o, folder)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
		}
	}
	_, err = readSection(o.repo, o.version)
	return errors.Join(append(failed, err)...)
}

// releasable checks the module file of a folder.
func releasable(o *options, folder string) error {
	gomod, err := moduleFile(o.repo, "HEAD", folder)
	if err != nil {
		return err
	}
	return checkRequirements(gomod, o.version)
}
