package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// plainName is the name of an output in lower case without what it is compressed
// with, and whether it is.
func plainName(name string) (plain string, packed bool) {
	plain = strings.ToLower(name)
	for _, ext := range []string{".gz", ".zst"} {
		if cut, ok := strings.CutSuffix(plain, ext); ok {
			return cut, true
		}
	}
	return plain, false
}

// formatOf returns the format that the name of an output chooses. Standard
// output and devices, whose names choose nothing, are given a trace.
func formatOf(name string) (*format, error) {
	if name == stdoutName || isDevice(name) {
		return &formats[0], nil
	}
	found := formatsOf(name)
	switch {
	case len(found) == 0:
		return nil, fmt.Errorf("--output: the extension of %s is not that of a format; --to chooses one:\n%s", name, formatList())
	case found[0].write != nil && len(found) > 1:
		return nil, fmt.Errorf("--output: the extension of %s is that of several formats: --to %s chooses", name, joinFormats(found))
	}
	return found[0], nil
}

// formatsOf returns the formats that have the longest suffix of a name.
func formatsOf(name string) []*format {
	plain, _ := plainName(name)
	var found []*format
	longest := 0
	for i := range formats {
		n := formats[i].match(plain)
		if n > longest {
			found, longest = nil, n
		}
		if n > 0 && n == longest {
			found = append(found, &formats[i])
		}
	}
	return found
}

// match returns the length of the longest suffix of the format that a name has,
// 0 for none. A .json file may be any of the formats whose suffix ends so.
func (f *format) match(plain string) int {
	longest := 0
	for _, suffix := range f.suffixes {
		switch {
		case strings.HasSuffix(plain, suffix):
			longest = max(longest, len(suffix))
		case strings.HasSuffix(suffix, ".json") && strings.HasSuffix(plain, ".json"):
			longest = max(longest, len(".json"))
		}
	}
	return longest
}

// fits returns an error when the name of an output has the extension of other
// formats only.
func (f *format) fits(name string) error {
	found := formatsOf(name)
	if len(found) == 0 || slices.Contains(found, f) {
		return nil
	}
	return fmt.Errorf("--output: the extension of %s is that of %s, but %s is written", name, joinFormats(found), f.name)
}

// fitsTrace returns an error when the name of an output, to which a command
// other than convert writes a trace, has the extension of a profile.
func fitsTrace(name string) error {
	if found := formatsOf(name); len(found) > 0 && found[0].write != nil {
		return fmt.Errorf("--output: the extension of %s is that of %s, but a trace is written (nettrace convert writes profiles)",
			name, joinFormats(found))
	}
	return nil
}

// isDevice reports whether a name is that of an existing file that is not a
// regular one, such as a pipe.
func isDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular()
}

func joinFormats(list []*format) string {
	var names []string
	for _, f := range list {
		names = append(names, f.name)
	}
	return strings.Join(names, " or ")
}

// findFormat is the format of a name, or nil.
func findFormat(name string) *format {
	i := slices.IndexFunc(formats, func(f format) bool { return strings.EqualFold(f.name, name) })
	if i < 0 {
		return nil
	}
	return &formats[i]
}

func formatNames() []string {
	var names []string
	for i := range formats {
		names = append(names, formats[i].name)
	}
	return names
}

// formatList lists the formats, one on each line.
func formatList() string {
	var b strings.Builder
	for _, f := range formats {
		fmt.Fprintf(&b, "  %-11s %-42s %s\n", f.name, f.about, strings.Join(slices.Concat(f.suffixes, f.packed), " "))
	}
	return b.String()
}
