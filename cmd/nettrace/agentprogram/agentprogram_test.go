package agentprogram_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/cmd/nettrace/agentprogram"
	"github.com/nettrace-go/nettrace/internal/expect"
)

var program = agentprogram.Program{
	Name: "printing-agent", Push: "printer", Server: "http://printer",
	Targets: map[string]func(*delivery.Client) delivery.Target{
		"printer": func(*delivery.Client) delivery.Target { return printer{} },
	},
}

// TestRun: command lines of a program, whose name is in the messages.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "agent.yaml")
	expect.NoError(t, os.WriteFile(file, []byte("processes: [{nam: a}]\ntargets:\n- {type: printer, url: http://a}\n- {type: loki}\n"), 0o600))
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"help", []string{"--help"}, 0, []string{
			"printing-agent {--config FILE", "printing-agent --name shop --push http://printer", "- type: printer", "a target of type printer"}},
		{"unknown key", []string{"--config", file}, 2, []string{"printing-agent: " + file + `: line 1: unknown key "nam"`}},
		{"nothing", nil, 2, []string{"printing-agent: agent needs --config", "Run 'printing-agent --help' for usage."}},
		{"empty value", []string{"--config", ""}, 2, []string{"printing-agent: --config: the value is empty"}},
		{"url of --push", []string{"--name", "a", "--push", "a:1"}, 2, []string{`url: "a:1" is not an address`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			expect.Equal(t, "exit code", program.Run(c.args, &out, &out), c.code)
			expect.Contains(t, "output", out.String(), c.want...)
		})
	}
}

// TestTypes: the further types are known beside those of nettrace.
func TestTypes(t *testing.T) {
	for _, c := range []struct {
		name, target string
		code         int
		want         string
	}{
		{"further", "{type: printer, url: http://a}", 0, "1 target: no errors"},
		{"of nettrace", "{type: files, path: a}", 0, "1 target: no errors"},
		{"unknown", "{type: loki}", 2, "want pyroscope, pyroscope_ingest, files, printer"},
		{"two files that are missing", "{type: printer, url: http://a, bearer_token_file: no1}, {type: printer, url: http://a, bearer_token_file: no2}", 2, "\nprinting-agent: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "agent.yaml")
			expect.NoError(t, os.WriteFile(file, []byte("processes: [{name: a}]\ntargets: ["+c.target+"]\n"), 0o600))
			var out bytes.Buffer
			expect.Equal(t, "exit code", program.Run([]string{"--check-config", "--config", file}, &out, &out), c.code)
			expect.Contains(t, "output", out.String(), c.want)
		})
	}
}
