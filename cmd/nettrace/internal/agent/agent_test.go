package agent_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// file writes a configuration and returns its path.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCheckConfig checks files with and without errors.
func TestCheckConfig(t *testing.T) {
	good := file(t, "processes: [{name: shop}]\nlisten: 127.0.0.1:9464\n")
	r := programtest.Run(t, nil, "agent", "--check-config", "--config", good)
	r.Exits(t, exit.Done)
	expect.Equal(t, "stdout", r.Out, good+": 1 entry of processes, 0 targets: no errors\n")
	bad := file(t, "processes: [{nam: shop}]\nevery: soon\n")
	r = programtest.Run(t, nil, "agent", "--check-config", "--config", bad)
	r.Exits(t, exit.Usage)
	expect.Equal(t, "stderr", r.Stderr, "nettrace: "+bad+": line 1: unknown key \"nam\"\nnettrace: "+bad+": line 2: \"soon\" is not a time above 0, such as 10s\n")
}

// TestCheckConfigFiles: files that the configuration names must be there.
func TestCheckConfigFiles(t *testing.T) {
	empty := file(t, "\n")
	for _, c := range []struct{ name, keys, want string }{
		{"certificates", "tls_config: {ca_file: missing.pem}", "target pyroscope-1: open missing.pem: no such file or directory"},
		{"no certificate", "tls_config: {ca_file: " + empty + "}", "has no certificate"},
		{"token", "bearer_token_file: missing.token", "target pyroscope-1: open missing.token: no such file or directory"},
		{"empty token", "bearer_token_file: " + empty, empty + " is empty"},
		{"password", "basic_auth: {username: u, password_file: missing.password}", "target pyroscope-1: open missing.password: no such file or directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := file(t, "processes: [{name: no-such-program}]\nadmin: ''\ntargets: [{type: pyroscope, url: https://127.0.0.1:1, "+c.keys+"}]\n")
			r := programtest.Run(t, nil, "agent", "--check-config", "--config", config)
			r.Exits(t, exit.Usage)
			expect.Contains(t, "stderr", r.Stderr, "nettrace: "+config+": line 3: target pyroscope-1: ", c.want)
		})
	}
}

// TestCheckConfigTLS: the files of both ports must be there, each error with its line.
func TestCheckConfigTLS(t *testing.T) {
	empty := file(t, "\n")
	config := file(t, "processes: [{name: shop}]\nlisten: 127.0.0.1:9464\n"+
		"tls_server_config: {cert_file: missing.crt, key_file: missing.key}\nadmin_tls_server_config: {cert_file: "+empty+", key_file: "+empty+"}\n")
	r := programtest.Run(t, nil, "agent", "--check-config", "--config", config)
	r.Exits(t, exit.Usage)
	expect.Contains(t, "stderr", r.Stderr, "nettrace: "+config+": line 3: tls_server_config: open missing.crt: no such file or directory\n",
		"nettrace: "+config+": line 4: admin_tls_server_config: "+empty+" and "+empty+": ")
}

// TestUsage refuses flags that exclude each other, and values that are wrong.
func TestUsage(t *testing.T) {
	good := file(t, "processes: [{name: shop}]\nlisten: 127.0.0.1:9464\n")
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"nothing", nil, "agent needs --config, or --name and a receiver"},
		{"no receiver", []string{"--name", "a"}, "agent needs a receiver: --push URL or --listen ADDR"},
		{"flag beside a file", []string{"--config", good, "--every", "20s"}, "--every has no effect with --config: set the key in"},
		{"check without a file", []string{"--check-config", "--name", "a"}, "--check-config needs --config"},
		{"check and dry run", []string{"--check-config", "--dry-run"}, "exclude each other"},
		{"missing file", []string{"--config", "missing.yaml"}, "missing.yaml: no such file"},
		{"url", []string{"--name", "a", "--push", "pyroscope:4040"}, `"pyroscope:4040" is not an address`},
		{"every", []string{"--name", "a", "--push", "http://a", "--every", "1s"}, "1s is not a time from 10s to 1m0s"},
		{"share", []string{"--name", "a", "--push", "http://a", "--max-cpu", "5"}, `--max-cpu: "5" is not a share`},
		{"argument", []string{"x"}, `takes no argument, not "x"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"agent"}, c.args...)...)
			r.Exits(t, exit.Usage)
			expect.Contains(t, "stderr", r.Stderr, c.want)
		})
	}
}

// TestAddressInUse: an address that cannot be opened ends the command.
func TestAddressInUse(t *testing.T) {
	r := programtest.Run(t, nil, "agent", "--name", "no-such-program", "--listen", "256.0.0.1:1")
	r.Exits(t, exit.Usage)
	expect.Contains(t, "stderr", r.Stderr, "256.0.0.1")
}

// TestDryRun prints only how many processes there are, if none has the name.
func TestDryRun(t *testing.T) {
	r := programtest.Run(t, nil, "agent", "--name", "no-such-program", "--dry-run")
	r.Exits(t, exit.Done)
	expect.Contains(t, "stderr", r.Stderr, "nettrace: 0 of ", "would be profiled")
}
