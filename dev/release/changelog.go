package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// sectionStart is the heading of a version, with the date of its release.
var sectionStart = regexp.MustCompile(`(?m)^## (\S+)(?: - \d{4}-\d\d-\d\d)?$`)

// section returns the text below the heading of a version, and whether it exists.
func section(changelog, version string) (string, bool) {
	starts := sectionStart.FindAllStringSubmatchIndex(changelog, -1)
	for i, at := range starts {
		if changelog[at[2]:at[3]] != version {
			continue
		}
		end := len(changelog)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		return strings.TrimSpace(changelog[at[1]:end]), true
	}
	return "", false
}

// hasBreaking reports whether the section of a version has entries under "Breaking".
func hasBreaking(text string) bool {
	_, after, found := strings.Cut("\n"+text, "\n### Breaking\n")
	return found && strings.HasPrefix(strings.TrimSpace(after), "- ")
}

// readSection returns the section of a version, or its error if there is none or if it
// is empty.
func readSection(repo, version string) (string, error) {
	data, err := os.ReadFile(filepath.Join(repo, "CHANGELOG.md"))
	if err != nil {
		return "", err
	}
	if text, ok := section(string(data), version); ok && text != "" {
		return text, nil
	}
	return "", fmt.Errorf("CHANGELOG.md has no entries in a section %q", "## "+version+" - YYYY-MM-DD")
}

// notes prints the notes of a release.
func notes(o *options, out io.Writer) error {
	text, err := readSection(o.repo, o.version)
	if err == nil {
		_, err = fmt.Fprintln(out, text)
	}
	return err
}
