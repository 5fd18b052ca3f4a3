package nettrace_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// pinned is a use of an action by the hash of a commit, with its version as a comment.
var pinned = regexp.MustCompile(`^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

// TestWorkflows checks what actionlint does not: that the workflows have no more rights
// than they need, that no other code can take the place of an action, and that a job
// calls targets of the Makefile only.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob(".github/workflows/*.yml")
	expect.NoError(t, err)
	expect.NotZero(t, "workflows", len(files))
	makefile, err := os.ReadFile("Makefile")
	expect.NoError(t, err)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			expect.NoError(t, err)
			text := string(data)
			expect.Contains(t, "file", text, "\npermissions: {}\n", "\nconcurrency:\n")
			jobs := strings.Count(text, "\n    runs-on: ")
			expect.Equal(t, "jobs with a timeout", strings.Count(text, "\n    timeout-minutes: "), jobs)
			expect.Equal(t, "jobs with permissions", strings.Count(text, "\n    permissions:"), jobs)
			expect.Equal(t, "checkouts that keep no credentials",
				strings.Count(text, "persist-credentials: false"), strings.Count(text, "uses: actions/checkout@"))
			for line := range strings.SplitSeq(text, "\n") {
				step := strings.TrimPrefix(strings.TrimSpace(line), "- ")
				if strings.HasPrefix(step, "uses: ") {
					expect.Equal(t, step+" is pinned", pinned.MatchString(step), true)
				}
				command, isRun := strings.CutPrefix(step, "run: ")
				if !isRun {
					continue
				}
				target, isMake := strings.CutPrefix(command, "make ")
				expect.Equal(t, command+" calls make", isMake, true)
				if !strings.HasPrefix(target, "${{") {
					name, _, _ := strings.Cut(target, " ")
					expect.Contains(t, "Makefile", string(makefile), "\n"+name+":")
				}
			}
			for _, list := range regexp.MustCompile(`\n        target: \[(.*)\]`).FindAllStringSubmatch(text, -1) {
				for target := range strings.SplitSeq(list[1], ", ") {
					name, _, _ := strings.Cut(target, " ")
					expect.Contains(t, "Makefile", string(makefile), "\n"+name+":")
				}
			}
		})
	}
}

// TestDependabot checks that Dependabot looks into the folder of every module.
func TestDependabot(t *testing.T) {
	config, err := os.ReadFile(".github/dependabot.yml")
	expect.NoError(t, err)
	list := regexp.MustCompile(`gomod\n    directories: \[(.*)\]`).FindSubmatch(config)
	expect.Len(t, "lists of folders with modules", list, 2)
	expect.Stop(t)
	folders := strings.Split(strings.ReplaceAll(string(list[1]), `"`, ""), ", ")
	err = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (path == "bin" || path != "." && strings.HasPrefix(entry.Name(), ".")) {
			return fs.SkipDir
		}
		if err != nil || entry.Name() != "go.mod" {
			return err
		}
		folder := strings.TrimSuffix("/"+filepath.ToSlash(filepath.Dir(path)), ".")
		t.Run(folder, func(t *testing.T) {
			expect.Equal(t, "is in the list", slices.ContainsFunc(folders, func(pattern string) bool {
				above, all := strings.CutSuffix(pattern, "**")
				return folder == pattern || all && strings.HasPrefix(folder, above)
			}), true)
		})
		return nil
	})
	expect.NoError(t, err)
}
