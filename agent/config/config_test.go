package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/internal/expect"
)

const complete = `
processes:
  - name: shop*
    command_line: --port \d+
    env: {ENVIRONMENT: Production}
    container_id: abcdef
    pod_uid: 11111111-2222-3333-4444-555555555555
    service_name: shop
profiles: [wall, memory]
counters: System.Runtime[cpu-usage]
every: 30s
sample: 1s/15s
max_cpu: 5%
external_labels: {cluster: eu-1}
rules: ["gc-pause > 200ms"]
listen: 0.0.0.0:9464
tls_server_config: {cert_file: tls.crt, key_file: tls.key, client_ca_file: ca.crt}
admin: 127.0.0.1:9465
admin_tls_server_config: {cert_file: admin.crt, key_file: admin.key}
queue: {max_bytes: 1MiB, path: /var/lib/agent}
targets:
  - type: pyroscope
    name: main
    url: https://pyroscope:4040
    headers: {X-Scope-OrgID: tenant}
    basic_auth: {username: u, password_file: p}
    tls_config: {ca_file: ca.pem, insecure_skip_verify: true}
    remote_timeout: 3s
    min_backoff_period: 1s
    max_backoff_period: 1m
  - type: files
    path: profiles
    max_bytes: 10MB
`

// TestComplete reads a file with nearly every key.
func TestComplete(t *testing.T) {
	c, err := config.Parse([]byte(complete))
	expect.NoError(t, err)
	if err != nil {
		return
	}
	s := c.Processes[0].Selector()
	expect.Equal(t, "name", s.Name, "shop*")
	expect.Equal(t, "command line matches", s.CommandLine.MatchString("shop --port 80"), true)
	expect.Equal(t, "variable", s.Environment["ENVIRONMENT"], "Production")
	expect.Equal(t, "container", s.Container, "abcdef")
	expect.Equal(t, "pod", s.Pod, "11111111-2222-3333-4444-555555555555")
	expect.Equal(t, "every", time.Duration(c.Every), 30*time.Second)
	expect.Equal(t, "sample", c.Sample, config.Share{Of: time.Second, In: 15 * time.Second})
	expect.Equal(t, "max_cpu", c.MaxCPU, 0.05)
	expect.Equal(t, "max_bytes", c.Queue.MaxBytes, 1<<20)
	expect.Equal(t, "tls_server_config", c.TLS, config.ServerTLS{CertFile: "tls.crt", KeyFile: "tls.key", ClientCAFile: "ca.crt"})
	expect.Equal(t, "admin_tls_server_config", c.AdminTLS, config.ServerTLS{CertFile: "admin.crt", KeyFile: "admin.key"})
	expect.Equal(t, "header", c.Targets[0].Headers["X-Scope-OrgID"], "tenant")
	expect.Equal(t, "name of the first target", c.Targets[0].Name, "main")
	expect.Equal(t, "name of the second target", c.Targets[1].Name, "files-2")
	expect.Equal(t, "bytes of files", c.Targets[1].MaxBytes, 10e6)
}

// TestDefaults reads a file with the required keys only.
func TestDefaults(t *testing.T) {
	c, err := config.Parse([]byte("processes: [{name: shop}]\ntargets: [{type: pyroscope, url: http://a}]"))
	expect.NoError(t, err)
	if err != nil {
		return
	}
	expect.Slices(t, "profiles", c.Profiles, config.ProfileKinds())
	expect.Equal(t, "every", time.Duration(c.Every), 10*time.Second)
	expect.Equal(t, "sample", c.Sample, config.Share{Of: 2 * time.Second, In: 10 * time.Second})
	expect.Equal(t, "admin", c.Admin, "127.0.0.1:9465")
	expect.Equal(t, "remote_timeout", time.Duration(c.Targets[0].RemoteTimeout), 10*time.Second)
	expect.Equal(t, "max_backoff_period", time.Duration(c.Targets[0].MaxBackoff), 5*time.Minute)
}

// TestFurther: a type of the caller has the keys of requests and their defaults.
func TestFurther(t *testing.T) {
	const text = "processes: [{name: shop}]\ntargets:\n- type: other\n  url: "
	c, err := config.Parse([]byte(text+"http://a"), "other")
	expect.NoError(t, err)
	if err != nil {
		return
	}
	expect.Equal(t, "remote_timeout", time.Duration(c.Targets[0].RemoteTimeout), 10*time.Second)
	expect.NoError(t, c.Check("other"))
	for _, c := range []struct {
		name    string
		further []string
		want    string
	}{
		{"wrong url", []string{"other"}, `line 4: url: "a" is not an address`},
		{"another type", []string{"third"}, `line 3: targets: "other" is not a type: want pyroscope, pyroscope_ingest, files, third`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := config.Parse([]byte(text+"a"), c.further...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error: got %v, want %q", err, c.want)
			}
		})
	}
}

// TestMistakes: each mistake is an error with its line.
func TestMistakes(t *testing.T) {
	const start = "processes: [{name: shop}]\ntargets: [{type: pyroscope, url: http://a}]\n"
	for _, c := range []struct{ name, text, want string }{
		{"unknown key", start + "evry: 10s", `line 3: unknown key "evry"`},
		{"unknown key of a target", "processes: [{name: shop}]\ntargets:\n- type: pyroscope\n  url: http://a\n  retries: 3", `line 5: unknown key "retries"`},
		{"key twice", start + "every: 10s\nevery: 20s", `line 4: mapping key "every" already defined at line 3`},
		{"no YAML", start + "every: [", "line 3: "},
		{"two documents", start + "---\nevery: 10s", "more than one document"},
		{"empty", "", "no process is selected"},
		{"time", start + "every: soon", `line 3: "soon" is not a time`},
		{"two mistakes", start + "evry: 10s\nsample: 3", "line 3: unknown key \"evry\"\nline 4: \"3\" is not a part"},
		{"too short", start + "every: 5s", "line 3: every: 5s is not a time from 10s to 1m0s"},
		{"share", start + "sample: 3s/2s", `line 3: "3s/2s" is not a part of a time`},
		{"percent", start + "max_cpu: 5", `line 3: "5" is not a share`},
		{"size", start + "queue: {max_bytes: much}", "line 3: "},
		{"kind", start + "profiles:\n  - wall\n  - cpu", `line 5: profiles: "cpu" is not a kind of profile: want wall, process_cpu`},
		{"rule", start + "rules: [gc-pauze > 1s]", "line 3: rules: "},
		{"counters", start + "counters: 'A[b'", "line 3: counters: "},
		{"text for keys", start[:len(start)-3] + ",\n  basic_auth: secret}]", "line 3: want keys with values, not a text"},
		{"lines for keys", start[:len(start)-3] + ",\n  basic_auth: \"a\\nsecret\"}]", "line 3: want keys with values, not a text"},
		{"text for a list", "processes: secret", "line 1: want a list, not a text"},
		{"keys for a text", start + "listen: {a: b}", "line 3: want a text, not keys with values"},
		{"list for keys", start + "queue: [a]", "line 3: want keys with values, not a list"},
		{"text for a number", "processes: [{name: a}]\ntargets: [{type: files, path: a, max_files: secret}]", "line 2: want a number, not a text"},
		{"number for true", start[:len(start)-3] + ", tls_config: {insecure_skip_verify: 7}}]", "line 2: want true or false, not a number"},
		{"label", start + "external_labels: {a-b: c}", `line 3: external_labels: "a-b" is not a name`},
		{"reserved label", start + "external_labels: {pid: c}", `line 3: external_labels: the agent sets "pid" itself`},
		{"no time for samples", start + "sample: 1ms/10s", "line 3: sample: 1ms of each window of 10s: want at least 100ms"},
		{"label of a pod", start + "external_labels: {namespace: c}", `line 3: external_labels: the agent sets "namespace" itself`},
		{"port", start + "listen: 127.0.0.1:99999", `line 3: listen: "127.0.0.1:99999" has no port from 0 to 65535, but "99999"`},
		{"host", start + "admin: 300.1.1.1:80", `line 3: admin: "300.1.1.1:80" has no IP address, but "300.1.1.1"`},
		{"one address for both", start + "listen: :9465\nadmin: :9465", `line 3: listen: ":9465" is the address of admin too`},
		{"address", start + "listen: here", `line 3: listen: "here" is not an address`},
		{"empty process", "processes: [{service_name: shop}]\nlisten: :1", "line 1: processes: an entry without name"},
		{"pattern", "processes: [{name: '['}]\nlisten: :1", "line 1: name: "},
		{"expression", "processes:\n- command_line: '('\nlisten: :1", "line 2: command_line: "},
		{"nothing to do", "processes: [{name: shop}]", "targets: nothing is sent and nothing is served"},
		{"type", "processes: [{name: a}]\ntargets:\n- type: loki", `line 3: targets: "loki" is not a type: want pyroscope`},
		{"type of another program", "processes: [{name: a}]\ntargets:\n- type: otlp\n  url: http://a", "line 3: targets: type otlp needs the program nettrace-otlp"},
		{"no type", "processes: [{name: a}]\ntargets:\n- url: http://a", "line 3: targets: type is missing"},
		{"url", "processes: [{name: a}]\ntargets:\n- type: pyroscope\n  url: a:4040", `line 4: url: "a:4040" is not an address`},
		{"path of a remote target", start[:len(start)-3] + ", path: a}]", "have no effect with type pyroscope"},
		{"two identities", start[:len(start)-3] + ", bearer_token_file: a, basic_auth: {username: a}}]", "exclude each other"},
		{"no user", start[:len(start)-3] + ", basic_auth: {password: a}}]", "username is missing"},
		{"two passwords", start[:len(start)-3] + ", basic_auth: {username: a, password: a, password_file: b}}]", "password and password_file"},
		{"back-off", start[:len(start)-3] + ", min_backoff_period: 2s, max_backoff_period: 1s}]", "min_backoff_period 2s is above"},
		{"files without path", "processes: [{name: a}]\ntargets: [{type: files}]", "needs path"},
		{"files with url", "processes: [{name: a}]\ntargets: [{type: files, path: a, url: http://a}]", "have no effect with type files"},
		{"user in url", "processes: [{name: a}]\ntargets:\n- type: pyroscope\n  url: http://u:secret@a", `line 4: url: "http://u:xxxxx@a" has a user: set basic_auth`},
		{"query in url", "processes: [{name: a}]\ntargets:\n- type: pyroscope\n  url: http://a/?x=1", `line 4: url: "http://a/?xxxxx" has a query, which is not sent`},
		{"empty query in url", "processes: [{name: a}]\ntargets:\n- type: pyroscope\n  url: http://a?", `line 4: url: "http://a?" has a query`},
		{"fragment in url", "processes: [{name: a}]\ntargets:\n- type: pyroscope\n  url: http://a#x", `line 4: url: "http://a#xxxxx" has a fragment, which is not sent`},
		{"secret in a query", "processes: [{name: a}]\ntargets:\n- type: pyroscope\n  url: a:4040/x?token=secret#secret", `line 4: url: "a:4040/x?xxxxx" is not an address`},
		{"url without host", "processes: [{name: a}]\ntargets:\n- type: pyroscope\n  url: http://:4040", `line 4: url: "http://:4040" is not an address`},
		{"password in a url without host", "processes: [{name: a}]\ntargets:\n- type: pyroscope\n  url: http://u:secret@:4040", `line 4: url: "http://xxxxx@:4040" is not an address`},
		{"password in a url without scheme", "processes: [{name: a}]\ntargets:\n- type: pyroscope\n  url: u:sec/ret@a:4040", `line 4: url: "xxxxx@a:4040" is not an address`},
		{"port of url", "processes: [{name: a}]\ntargets:\n- type: pyroscope\n  url: http://a:70000", `line 4: url: "http://a:70000": 70000 is not a port`},
		{"header Host", start[:len(start)-3] + ",\n  headers: {host: b}}]", "line 3: headers: the agent sets host itself"},
		{"header Content-Length", start[:len(start)-3] + ",\n  headers: {Content-Length: 1}}]", "line 3: headers: the agent sets Content-Length itself"},
		{"name of a header", start[:len(start)-3] + ",\n  headers: {'a b': c}}]", `line 3: headers: "a b" is not a name of a header`},
		{"name of a header with its value", start[:len(start)-3] + ",\n  headers: {'a: secret': c}}]", `line 3: headers: "a:..." is not a name of a header`},
		{"name of a header with its value only", start[:len(start)-3] + ",\n  headers: {'a: secret'}}]", "line 3: a:... has no value"},
		{"value of a header", start[:len(start)-3] + ",\n  headers: {a: \"b\\nc\"}}]", `line 3: headers: the value of a has a control character`},
		{"header twice", start[:len(start)-3] + ",\n  headers: {x-a: b, X-A: c}}]", "line 3: headers: x-a is there twice"},
		{"two identities in headers", start[:len(start)-3] + ", bearer_token_file: a,\n  headers: {authorization: b}}]", "line 3: headers: authorization excludes bearer_token_file and basic_auth"},
		{"tls without https", start[:len(start)-3] + ",\n  tls_config: {ca_file: a}}]", "line 3: targets: tls_config has no effect with http://"},
		{"unknown key of a server", start + "listen: :1\ntls_server_config:\n  cert: a", `line 5: unknown key "cert"`},
		{"tls without listen", start + "tls_server_config: {cert_file: a, key_file: b}", "line 3: tls_server_config: nothing is served with it: set listen"},
		{"tls without admin", start + "admin: ''\nadmin_tls_server_config: {cert_file: a, key_file: b}", "line 4: admin_tls_server_config: nothing is served with it: set admin"},
		{"key without certificate", start + "listen: :1\ntls_server_config: {key_file: a}", "line 4: tls_server_config: cert_file is missing"},
		{"certificate without key", start + "admin_tls_server_config:\n  cert_file: a", "line 4: admin_tls_server_config: key_file is missing"},
		{"clients without certificate", start + "listen: :1\ntls_server_config: {client_ca_file: a}", "line 4: tls_server_config: cert_file is missing\nline 4: tls_server_config: key_file is missing"},
		{"tls without keys", start + "listen: :1\ntls_server_config: {}", "line 4: tls_server_config: cert_file is missing"},
		{"two addresses", start + "admin: a\nlisten: b", "line 4: listen: \"b\" is not an address such as 127.0.0.1:9465\nline 3: admin: \"a\" is not"},
		{"same folder", "processes: [{name: a}]\ntargets:\n- {type: files, path: a, name: x}\n- {type: files, path: ./b/../a/, name: y}", "line 4: path: target x has the folder ./b/../a/ too"},
		{"no kind", start + "profiles: []", "line 3: profiles: no kind of profile is left for the targets: leave the key out for all"},
		{"kind twice", start + "profiles:\n  - wall\n  - wall", `line 5: profiles: "wall" is there twice`},
		{"max_cpu 0", start + "max_cpu: 0", `line 3: "0" is not a share`},
		{"max_cpu without value", start + "max_cpu:", "line 3: max_cpu has no value"},
		{"profiles without value", start + "profiles:", "line 3: profiles has no value"},
		{"key of a target without value", start[:len(start)-3] + ",\n  headers: }]", "line 3: headers has no value"},
		{"counters without listen", start + "counters: System.Runtime", "line 3: counters: nothing serves them: set listen"},
		{"folder above as name", start[:len(start)-3] + ",\n  name: ..}]", `line 2: targets: ".." is not a name of a folder`},
		{"folders as name", start[:len(start)-3] + ",\n  name: a/b}]", `line 2: targets: "a/b" is not a name of a folder`},
		{"same name", "processes: [{name: a}]\ntargets:\n- {type: files, path: a, name: x}\n- {type: files, path: b, name: x}", `line 4: targets: two targets have the name "x"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := config.Parse([]byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error: got %v, want %q", err, c.want)
			}
		})
	}
}
