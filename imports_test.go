package nettrace_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/nettrace-go/nettrace"

// levels is the plan in doc.go. A package belongs to the longest path here that
// contains it.
var levels = map[string]int{
	"cmd/nettrace": 9,
	"bench":        8,
	"fuzz":         9,
	"conformance":  8,
	"gen":          7,
	"view":         7,
	"agent":        7,
	"telemetry":    7,
	"columns":      7,
	"summary":      7,
	"corpora":      7,
	"profile":      6,
	"analysis":     6,
	"model":        5,
	"edit":         4,
	"heap":         4,
	"gcdump":       5,
	"perf":         5,
	"eventpipe":    4,
	".":            4,
	"symbols":      4,
	"codec/clr":    3,
	"codec":        2,
	"codec/layout": 1,
	"codec/raw":    1,
	"codec/wire":   0,
	"codec/rule":   0,

	"codec/internal/expect": -1, // the assertions of codec's tests

	"internal/chunks":     4,
	"internal/recording":  4,
	"internal/rowtable":   3,
	"internal/blocking":   4,
	"internal/bytesize":   4,
	"internal/sampling":   4,
	"internal/seekable":   0,
	"internal/timens":     0,
	"internal/shortwrite": -1,
	"internal/guid":       4,
	"internal/workload":   8, // for benchmarks
	"internal/corpora":    7,
	"internal/oracle":     9,
	"internal/longtrace":  9, // which only tests import
	"internal/tracetest":  9, // the same
	"internal/ruletest":   9, // the same
}

// TestImports checks every import of all modules but those of test files, and at
// those of the test files of module codec, whose go.mod requires nothing.
func TestImports(t *testing.T) {
	packages := listPackages(t)
	standard := map[string]bool{}
	for _, p := range packages {
		standard[p.ImportPath] = p.Standard
	}
	for _, p := range packages {
		from, ours := local(p.ImportPath)
		if !ours {
			continue
		}
		if !within(from, "internal") && levelEntry(from) == "" {
			t.Errorf("%s has no level in doc.go", p.ImportPath)
		}
		for _, path := range p.Imports {
			if why := violation(from, path, standard[path]); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, path, why)
			}
		}
		if within(from, "codec") {
			for _, path := range slices.Concat(p.TestImports, p.XTestImports) {
				isStandard := standard[path] || !strings.Contains(path, ".")
				if why := violation(from, path, isStandard); why != "" && path != p.ImportPath {
					t.Errorf("a test of %s imports %s: %s", p.ImportPath, path, why)
				}
			}
		}
		if from == "cmd/nettrace" && slices.Contains(p.Deps, module+"/internal/corpora") {
			t.Errorf("%s depends on internal/corpora, which is for tests and tools", from)
		}
	}
}

// TestObjection checks the test for imports with imports that do not exist.
func TestObjection(t *testing.T) {
	for _, arrow := range []struct {
		from, path string
		allowed    bool
	}{
		{"codec", "fmt", true},
		{"codec", module + "/codec/raw", true},
		{"codec", module + "/codec/wire", true},
		{"codec/raw", module + "/codec/rule", true},
		{"codec/wire/deeper", module + "/codec/wire", true},
		{"profile/pprof", module + "/profile", true},
		{"cmd/nettrace", module + "/codec", true},
		{"bench", module + "/internal/corpora", true},
		{"cmd/nettrace", module, true},
		{".", module + "/codec/clr", true},
		{"internal/shared", module + "/internal/corpora", true},
		{"internal/shared", "testing", true},
		{"conformance/cases", module + "/internal/archive", true},

		{"codec", "github.com/klauspost/compress/zstd", false},
		{"codec/raw", "golang.org/x/sys/unix", false},
		{"codec", module + "/internal/corpora", false},
		{"profile", module + "/internal/corpora", false},
		{"codec", module + "/internal/shared", false},
		{"codec", module, false},
		{"codec/raw", module + "/codec", false},
		{"codec/wire", module + "/codec/rule", false},
		{"codec/clr", "golang.org/x/text", false},
		{"codec/clr", module + "/profile", false},
		{"codec/clr", module + "/eventpipe", false},
		{"edit", module + "/eventpipe", false},
		{"gen", module + "/cmd/nettrace", false},
		{"conformance", module + "/internal/shared", false},
		{"internal/shared", module + "/codec", false},
		{"util", module + "/codec", false},
		{"codecs", module + "/codec", false},
		{"telemetry/logs", module + "/eventpipe", true},
		{"telemetry/logs", module + "/codec/clr", true},
		{"telemetry/logs", module + "/telemetry", true},
		{"telemetry/logs", module + "/model", false},
		{"telemetry/metrics", module + "/eventpipe/record", false},
		{"eventpipe/provider", "github.com/BurntSushi/toml", false},
		{"eventpipe/sessionfile", "github.com/BurntSushi/toml", true},
		{"telemetry/logs", "go.opentelemetry.io/collector/pdata", false},
		{"edit", module, false},
		{".", module + "/edit", false},
		{".", module + "/profile", false},

		{"cmd/nettrace", module + "/cmd/nettrace/internal/program", true},
		{"cmd/nettrace/internal/program", module + "/cmd/nettrace/internal/events", true},
		{"cmd/nettrace/internal/events", module + "/cmd/nettrace/internal/input", true},
		{"cmd/nettrace/internal/events", module + "/codec", true},
		{"cmd/nettrace/internal/programtest", module + "/internal/shared", true},

		{"cmd/nettrace", module + "/cmd/nettrace/internal/events", false},
		{"cmd/nettrace/internal/input", module + "/cmd/nettrace/internal/events", false},
		{"cmd/nettrace/internal/events", module + "/cmd/nettrace/internal/blocks", false},
		{"cmd/nettrace/internal/events", module + "/cmd/nettrace/internal/programtest", false},
		{"cmd/nettrace/internal/events", module + "/cmd/nettrace/internal/util", false},
		{"cmd/nettrace/internal/events", module + "/internal/shared", false},
		{"codec", module + "/cmd/nettrace/internal/exit", false},
	} {
		t.Run(arrow.from+" imports "+arrow.path, func(t *testing.T) {
			standard := !strings.Contains(arrow.path, ".")
			if why := violation(arrow.from, arrow.path, standard); (why == "") != arrow.allowed {
				t.Errorf("%q imports %q: allowed should be %v, objection %q", arrow.from, arrow.path, arrow.allowed, why)
			}
		})
	}
}

// violation says why a package (path within the module) may not import
// another (full path), or nothing.
func violation(from, path string, standard bool) string {
	if standard {
		return ""
	}
	to, ours := local(path)
	if within(from, "codec") && !(ours && within(to, "codec")) {
		return "codec imports the standard library and codec only"
	}
	if within(from, "telemetry") && !(ours && (within(to, "codec") || to == "eventpipe" || within(to, "telemetry"))) {
		return "a host that vendors telemetry gets codec and eventpipe only"
	}
	if from == "eventpipe/provider" && !ours {
		return "a host that names providers needs no library"
	}
	if !ours {
		return ""
	}
	if within(from, "internal") && within(to, "internal") || to == "internal/archive" {
		return ""
	}
	if within(from, "cmd/nettrace") && within(to, "cmd/nettrace") {
		return programViolation(from, to)
	}
	if helper, ok := strings.CutPrefix(from, programFolder); ok && programTests[helper] {
		return ""
	}
	if within(to, "internal") && levelEntry(to) == "" {
		return "of internal, only those in levels and internal/archive are for more than tests"
	}
	fromEntry, toEntry := levelEntry(from), levelEntry(to)
	switch {
	case fromEntry == "":
		return "the importing package has no level in doc.go"
	case toEntry == "":
		return "the imported package has no level in doc.go"
	case fromEntry != toEntry && levels[toEntry] >= levels[fromEntry]:
		return fmt.Sprintf("level %d may not import level %d", levels[fromEntry], levels[toEntry])
	}
	return ""
}

// levelEntry is the longest path in levels that holds the package, or nothing.
func levelEntry(path string) string {
	longest := ""
	for name := range levels {
		if within(path, name) && len(name) > len(longest) {
			longest = name
		}
	}
	return longest
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// local cuts the module's path off an import path.
func local(path string) (string, bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

// listed is what we read of a package in the output of go list.
type listed struct {
	ImportPath string
	Standard   bool
	Deps       []string

	Imports, TestImports, XTestImports []string
}

func listPackages(t *testing.T) []listed {
	watchFolders(t)
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports,TestImports,XTestImports,Deps", "work")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, stderr.Bytes())
	}
	var packages []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// watchFolders reads every folder of the repository. What go list reads is
// hidden from go test, which would take an old result out of its cache; what
// the test itself reads is not.
func watchFolders(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
