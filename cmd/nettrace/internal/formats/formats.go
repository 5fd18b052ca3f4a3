// Package formats has the formats that convert writes: the versions of NetTrace, and
// profiles.
package formats

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
)

// plainName returns the name of an output in lower case without the extension
// of its compression, and whether it has one.
func plainName(name string) (plain string, packed bool) {
	plain = strings.ToLower(name)
	for _, ext := range []string{".gz", ".zst"} {
		if cut, ok := strings.CutSuffix(plain, ext); ok {
			return cut, true
		}
	}
	return plain, false
}

// ForName returns the format that the name of an output chooses. Standard
// output and devices, whose names choose no format, get a trace.
func ForName(name string) (*Format, error) {
	if name == output.Stdout || isDevice(name) {
		return &formats[0], nil
	}
	found := formatsOf(name)
	switch {
	case len(found) == 0:
		return nil, fmt.Errorf("--output: the extension of %s is not that of a format; --format chooses one:\n%s", name, List())
	case !found[0].IsTrace() && len(found) > 1:
		return nil, fmt.Errorf("--output: the extension of %s is that of several formats: --format %s chooses", name, joinFormats(found))
	}
	return found[0], nil
}

// formatsOf returns the formats that have the longest suffix of a name.
func formatsOf(name string) []*Format {
	plain, _ := plainName(name)
	var found []*Format
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

// match returns the length of the longest suffix of the format that a name has, or of its
// prefix, 0 for none. A .json file may be any of the formats whose suffix ends so.
func (f *Format) match(plain string) int {
	longest := 0
	if f.prefix != "" && strings.HasPrefix(filepath.Base(plain), f.prefix) {
		longest = len(f.prefix)
	}
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

// Fits returns an error when the name of an output has the extension of other
// formats only.
func (f *Format) Fits(name string) error {
	found := formatsOf(name)
	if len(found) == 0 || slices.Contains(found, f) {
		return nil
	}
	return fmt.Errorf("--output: the extension of %s is that of %s, but %s is written", name, joinFormats(found), f.Name)
}

// Extension returns the usual extension of the format.
func (f *Format) Extension() string {
	if len(f.packed) > 0 {
		return f.packed[0]
	}
	return f.suffixes[0]
}

// Suffix returns the extension of a name if it is one of the format, with that of a
// compression, or "".
func (f *Format) Suffix(name string) string {
	plain, _ := plainName(name)
	n := f.match(plain)
	if n == 0 {
		return ""
	}
	return name[len(plain)-n:]
}

// otherPacked are the extensions of compressed files that nettrace does not write.
var otherPacked = []string{".bz2", ".xz", ".lz4", ".zip", ".7z", ".br", ".lzma", ".zstd", ".tgz", ".tar"}

// CheckTraceName returns an error when the name of an output, to which a command
// other than convert writes a trace, has the extension of a profile, or of a compression that
// nettrace does not write.
func CheckTraceName(name string) error {
	if ext := strings.ToLower(filepath.Ext(name)); slices.Contains(otherPacked, ext) {
		return fmt.Errorf("--output: nettrace does not write %s: .zst and .gz compress", ext)
	}
	if found := formatsOf(name); len(found) > 0 && !found[0].IsTrace() {
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

func joinFormats(list []*Format) string {
	var names []string
	for _, f := range list {
		names = append(names, f.Name)
	}
	return strings.Join(names, " or ")
}

// Find returns the format with a name, or nil.
func Find(name string) *Format {
	i := slices.IndexFunc(formats, func(f Format) bool { return strings.EqualFold(f.Name, name) })
	if i < 0 {
		return nil
	}
	return &formats[i]
}

// Derived returns the names of the formats that are one file made from a trace, and are no
// trace.
func Derived() []string {
	var names []string
	for i := range formats {
		if !formats[i].IsTrace() && !formats[i].Tables {
			names = append(names, formats[i].Name)
		}
	}
	return names
}

// Names returns the names of all formats.
func Names() []string {
	var names []string
	for i := range formats {
		names = append(names, formats[i].Name)
	}
	return names
}

// List returns a line for each format: its name, what reads it, and its extensions.
func List() string {
	var b strings.Builder
	for _, f := range formats {
		fmt.Fprintf(&b, "  %-12s %-42s %s\n", f.Name, f.about, strings.Join(slices.Concat(f.suffixes, f.packed), " "))
	}
	return b.String()
}
