// Package machine says what a machine can do, for tests that need more than the Go tools.
// A test that lacks something is skipped with the reason. The environment variable
// NETTRACE_HAS names a file that lists what the machine has, one word per line: there the
// test fails instead, so that nothing of the list can go missing unseen. It is .ci/has for
// .ci/run; a relative path begins at the root of the repository.
//
// Only tests import this package.
package machine

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nettrace-go/nettrace/internal/corpora"
)

// Lacks ends a test that the machine cannot run. The thing is a word of the list: the name
// of a program, or "root".
func Lacks(tb testing.TB, thing, why string) {
	tb.Helper()
	if Has(tb, thing) {
		tb.Fatal(why + ": " + os.Getenv("NETTRACE_HAS") + " has " + thing)
	}
	tb.Skip(why)
}

// Has reports whether the list of the machine has a thing; without a list it has nothing.
func Has(tb testing.TB, thing string) bool {
	tb.Helper()
	path := os.Getenv("NETTRACE_HAS")
	if path == "" {
		return false
	}
	if !filepath.IsAbs(path) {
		root, err := corpora.Root()
		if err != nil {
			tb.Fatal(err)
		}
		path = filepath.Join(root, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return slices.Contains(strings.Fields(string(text)), thing)
}

// Program returns the path of a program.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Lacks(tb, name, "no program "+name)
	}
	return path
}

// Package returns the path of a file in a package of npm, which make viewers fetches into
// bin/viewers.
func Package(tb testing.TB, name, file string) string {
	tb.Helper()
	root, err := corpora.Root()
	if err != nil {
		Lacks(tb, name, err.Error())
	}
	path := filepath.Join(root, "bin", "viewers", "node_modules", name, file)
	if _, err := os.Stat(path); err != nil {
		Lacks(tb, name, "no "+name+": make viewers fetches it")
	}
	return path
}

// Root ends the test unless the user is root.
func Root(tb testing.TB) {
	tb.Helper()
	if os.Geteuid() != 0 {
		Lacks(tb, "root", "the user is not root")
	}
}

// unshares reports whether root may make namespaces, which some containers forbid.
var unshares = sync.OnceValue(func() bool {
	return exec.Command("unshare", "--mount", "--pid", "--fork", "true").Run() == nil
})

// TimeNamespaces ends the test unless the user can make time namespaces.
func TimeNamespaces(tb testing.TB) {
	tb.Helper()
	if exec.Command("unshare", "--time", "--fork", "true").Run() != nil {
		Lacks(tb, "namespaces", "time namespaces cannot be made here")
	}
}

// Namespaces ends the test unless the user can make namespaces of mounts and processes.
func Namespaces(tb testing.TB) {
	tb.Helper()
	if !unshares() {
		Lacks(tb, "namespaces", "namespaces cannot be made here")
	}
}
