package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestProgram: the program knows targets of the type otlp, and its help has them.
func TestProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "agent.yaml")
	expect.NoError(t, os.WriteFile(file, []byte("processes: [{name: shop}]\ntargets: [{type: otlp, url: http://collector:4318}]\n"), 0o600))
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"configuration", []string{"--config", file, "--check-config"}, 0, "1 target: no errors"},
		{"help", []string{"--help"}, 0, "nettrace-otlp --name shop --push http://collector:4318"},
		{"address", []string{"--name", "shop", "--push", "collector:4318"}, 2, `nettrace-otlp: url: "collector:4318" is not an address`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			expect.Equal(t, "exit code", program.Run(c.args, &out, &out), c.code)
			expect.Contains(t, "output", out.String(), c.want)
		})
	}
}
