package conformance_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// caseName is the name of a case in UPSTREAM.md.
var caseName = regexp.MustCompile("`((?:valid|invalid|either)/[a-z0-9/.-]+\\.v[3-6])`")

// TestUpstream: each cause of a known failure of another reader has a case in
// UPSTREAM.md, and the cases there exist. Cases of basis choice are not counted.
func TestUpstream(t *testing.T) {
	text, err := os.ReadFile("UPSTREAM.md")
	expect.NoError(t, err)
	expect.Stop(t)
	basis := map[string]cases.Basis{}
	for _, c := range cases.All() {
		basis[c.Name] = c.Basis
	}
	listed := map[string]bool{}
	for _, found := range caseName.FindAllStringSubmatch(string(text), -1) {
		listed[found[1]] = true
		if _, exists := basis[found[1]]; !exists {
			t.Errorf("UPSTREAM.md: there is no case %s", found[1])
		}
	}
	for reader, folder := range map[string]string{"te": "adapters/te", "dotnetdiag": "../dev/dotnetdiag"} {
		t.Run(reader, func(t *testing.T) {
			for reason, names := range failures(t, folder+"/known-failures.txt") {
				counted, found := false, false
				for _, name := range names {
					counted = counted || basis[name] != cases.Choice
					found = found || listed[name]
				}
				if counted && !found {
					t.Errorf("UPSTREAM.md has no case of the failure %q, for example %s", reason, names[0])
				}
			}
		})
	}
}

// failures returns the cases of a file of known failures by reason.
func failures(t *testing.T, path string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(path)
	expect.NoError(t, err)
	reasons, reason := map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if after, ok := strings.CutPrefix(line, "# "); ok {
			reason = after
		} else if line != "" && !strings.HasPrefix(line, "#") {
			reasons[reason] = append(reasons[reason], line)
		}
	}
	expect.AtLeast(t, "reasons in "+path, len(reasons), 3)
	return reasons
}
