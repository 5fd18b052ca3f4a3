package eventpipe_test

import (
	"os"
	"os/exec"
	"testing"
)

// TestPlatforms compiles the package for systems on which no test runs.
func TestPlatforms(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here")
	}
	for _, system := range []string{"windows", "darwin", "freebsd"} {
		cmd := exec.Command("go", "build", ".")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", system, err, out)
		}
	}
}
