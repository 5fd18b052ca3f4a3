package eventpipe_test

import (
	"os"
	"os/exec"
	"testing"
)

// TestPlatforms compiles the packages, their tests and the program for systems
// on which no test runs.
func TestPlatforms(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles much")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here")
	}
	for system, what := range map[string][]string{
		"windows": {"./...", "../cmd/nettrace"},
		"darwin":  {"./...", "../cmd/nettrace"},
		"freebsd": {"."}, // what is for no other
	} {
		cmd := exec.Command("go", append([]string{"vet"}, what...)...)
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", system, err, out)
		}
	}
}
