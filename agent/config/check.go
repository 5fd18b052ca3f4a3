package config

import (
	"errors"
	"fmt"
	"net"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// checker collects what is wrong with the values of a configuration.
type checker struct {
	root    *yaml.Node // the file, for the lines
	further []string   // types of targets beside TargetTypes
	errs    []error
}

// fail adds an error about the value at a path.
func (k *checker) fail(where []any, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if line := lineOf(k.root, where...); line > 0 {
		text = fmt.Sprintf("line %d: %s", line, text)
	}
	k.errs = append(k.errs, errors.New(text))
}

// Check checks a configuration that was not read from a file, and sets the
// defaults of its targets. further are types of targets beside TargetTypes.
func (c *Config) Check(further ...string) error {
	k := &checker{root: &yaml.Node{}, further: further}
	k.check(c)
	return errors.Join(k.errs...)
}

// minEvery and maxEvery bound the length of a window.
const minEvery, maxEvery = 10 * time.Second, time.Minute

// minSample is the shortest time of sampling in a window: a session needs some of it to
// start.
const minSample = 100 * time.Millisecond

// check checks a configuration and sets what follows from its values.
func (k *checker) check(c *Config) {
	if len(c.Processes) == 0 {
		k.fail([]any{"processes"}, "processes: no process is selected: add an entry such as {name: shop}")
	}
	for i := range c.Processes {
		k.process([]any{"processes", i}, &c.Processes[i])
	}
	k.values(k.root)
	k.profiles(c)
	if every := time.Duration(c.Every); every < minEvery || every > maxEvery {
		k.fail([]any{"every"}, "every: %v is not a time from %v to %v", every, minEvery, maxEvery)
	}
	if of := time.Duration(float64(c.Every) * c.Sample.Parts()); of < minSample {
		k.fail([]any{"sample"}, "sample: %v of each window of %v: want at least %v", of, time.Duration(c.Every), minSample)
	}
	if k.has("counters") && c.Counters != "" && c.Listen == "" {
		k.fail([]any{"counters"}, "counters: nothing serves them: set listen")
	}
	if c.Counters != "" {
		if _, err := counters.ParseSelection(c.Counters); err != nil {
			k.fail([]any{"counters"}, "counters: %v", err)
		}
	}
	for i, text := range c.Rules {
		if _, err := trigger.Parse(text); err != nil {
			k.fail([]any{"rules", i}, "rules: %v", err)
		}
	}
	k.labels(c.ExternalLabels)
	k.servers(c)
	for i := range c.Targets {
		k.target([]any{"targets", i}, &c.Targets[i], i)
	}
	k.names(c.Targets)
	k.folders(c.Targets)
	if len(c.Targets) == 0 && c.Listen == "" {
		k.fail([]any{"targets"}, "targets: nothing is sent and nothing is served: add a target, or listen for Prometheus")
	}
}

// profiles checks the kinds of profiles.
func (k *checker) profiles(c *Config) {
	if len(c.Profiles) == 0 && len(c.Targets) > 0 {
		k.fail([]any{"profiles"}, "profiles: no kind of profile is left for the targets: leave the key out for all")
	}
	for i, kind := range c.Profiles {
		switch {
		case !slices.Contains(ProfileKinds(), kind):
			k.fail([]any{"profiles", i}, "profiles: %q is not a kind of profile: want %s", kind, strings.Join(ProfileKinds(), ", "))
		case slices.Contains(c.Profiles[:i], kind):
			k.fail([]any{"profiles", i}, "profiles: %q is there twice", kind)
		}
	}
}

// process checks an entry and makes its selector.
func (k *checker) process(where []any, p *Process) {
	s := eventpipe.Selector{Name: p.Name, Environment: p.Env, Container: p.ContainerID, Pod: p.PodUID}
	if p.Name+p.CommandLine+p.ContainerID+p.PodUID == "" && len(p.Env) == 0 {
		k.fail(where, "processes: an entry without name, command_line, env, container_id or pod_uid; {name: \"*\"} selects all")
	}
	if _, err := path.Match(p.Name, ""); err != nil {
		k.fail(append(where, "name"), "name: %q: %v", p.Name, err)
	}
	if p.CommandLine != "" {
		var err error
		if s.CommandLine, err = regexp.Compile(p.CommandLine); err != nil {
			k.fail(append(where, "command_line"), "command_line: %v", err)
		}
	}
	p.selector = s
}

// labelName is a name of a label in Prometheus.
var labelName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`) })

// reservedLabels are set by the agent.
var reservedLabels = []string{"service_name", "pid", "name", "container_id", "pod_uid", "pod", "namespace", "host"}

func (k *checker) labels(labels map[string]string) {
	for name := range labels {
		where := []any{"external_labels", name}
		switch {
		case !labelName().MatchString(name) || strings.HasPrefix(name, "__"):
			k.fail(where, "external_labels: %q is not a name of a label", name)
		case slices.Contains(reservedLabels, name):
			k.fail(where, "external_labels: the agent sets %q itself", name)
		}
	}
}

// servers checks the addresses that the agent serves.
func (k *checker) servers(c *Config) {
	k.server("listen", c.Listen, TLSKey, &c.TLS)
	k.server("admin", c.Admin, AdminTLSKey, &c.AdminTLS)
	if _, port, err := net.SplitHostPort(c.Listen); err == nil && port != "0" && c.Listen == c.Admin {
		k.fail([]any{"listen"}, "listen: %q is the address of admin too", c.Listen)
	}
}

// address returns why an address cannot be served, "" if it may be possible.
func address(text string) string {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "is not an address such as 127.0.0.1:9465"
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return fmt.Sprintf("has no port from 0 to 65535, but %q", port)
	}
	if strings.Trim(host, "0123456789.") == "" && host != "" && net.ParseIP(host) == nil {
		return fmt.Sprintf("has no IP address, but %q", host)
	}
	return ""
}

func (k *checker) server(key, served, tlsKey string, t *ServerTLS) {
	if why := address(served); served != "" && why != "" {
		k.fail([]any{key}, "%s: %q %s", key, served, why)
	}
	switch where := []any{tlsKey}; {
	case *t == ServerTLS{} && !k.has(tlsKey):
	case served == "":
		k.fail(where, "%s: nothing is served with it: set %s", tlsKey, key)
	default:
		if t.CertFile == "" {
			k.fail(where, "%s: cert_file is missing", tlsKey)
		}
		if t.KeyFile == "" {
			k.fail(where, "%s: key_file is missing", tlsKey)
		}
	}
}

// target checks a target and sets its defaults.
func (k *checker) target(where []any, t *Target, i int) {
	if t.Name == "" {
		t.Name = fmt.Sprintf("%s-%d", t.Type, i+1)
	}
	types := append(TargetTypes(), k.further...)
	switch {
	case t.Type == "":
		k.fail(where, "targets: type is missing: want %s", strings.Join(types, ", "))
	case t.Type == Files:
		k.files(where, t)
	case slices.Contains(types, t.Type):
		k.remote(where, t)
	case t.Type == OTLP:
		k.fail(append(where, "type"), "targets: type %s needs the program nettrace-otlp with this configuration: "+
			"see https://github.com/nettrace-go/nettrace/tree/main/integrations/otlp", OTLP)
	default:
		k.fail(append(where, "type"), "targets: %q is not a type: want %s", t.Type, strings.Join(types, ", "))
	}
}

func (k *checker) remote(where []any, t *Target) {
	k.url(where, t)
	k.headers(where, t)
	if t.Path != "" || t.MaxBytes != 0 || t.MaxFiles != 0 {
		k.fail(where, "targets: path, max_bytes and max_files have no effect with type %s", t.Type)
	}
	if t.BearerTokenFile != "" && t.BasicAuth != (BasicAuth{}) {
		k.fail(where, "targets: bearer_token_file and basic_auth exclude each other")
	}
	if t.BasicAuth != (BasicAuth{}) && t.BasicAuth.Username == "" {
		k.fail(append(where, "basic_auth"), "basic_auth: username is missing")
	}
	if t.BasicAuth.Password != "" && t.BasicAuth.PasswordFile != "" {
		k.fail(append(where, "basic_auth"), "basic_auth: password and password_file exclude each other")
	}
	setDefault(&t.RemoteTimeout, 10*time.Second)
	setDefault(&t.MinBackoff, 500*time.Millisecond)
	setDefault(&t.MaxBackoff, 5*time.Minute)
	if t.MinBackoff > t.MaxBackoff {
		k.fail(where, "targets: min_backoff_period %v is above max_backoff_period %v", time.Duration(t.MinBackoff), time.Duration(t.MaxBackoff))
	}
}

func setDefault(d *Duration, value time.Duration) {
	if *d == 0 {
		*d = Duration(value)
	}
}

func (k *checker) files(where []any, t *Target) {
	if t.Path == "" {
		k.fail(where, "targets: type files needs path, a folder")
	}
	if t.URL != "" || t.Headers != nil || t.BearerTokenFile != "" || t.BasicAuth != (BasicAuth{}) || t.TLS != (TLS{}) || t.RemoteTimeout != 0 {
		k.fail(where, "targets: the keys of requests (url, headers, bearer_token_file, basic_auth, tls_config, remote_timeout) have no effect with type files")
	}
	if t.MaxFiles < 0 {
		k.fail(append(where, "max_files"), "max_files: %d is negative", t.MaxFiles)
	}
	if t.MaxBytes == 0 {
		t.MaxBytes = 1 << 30
	}
	setDefault(&t.MinBackoff, 500*time.Millisecond)
	setDefault(&t.MaxBackoff, 5*time.Minute)
}

// names demands that the names of targets differ, also as names of folders of queues.
func (k *checker) names(targets []Target) {
	seen := map[string]bool{}
	for i, t := range targets {
		if t.Name == "." || t.Name == ".." || strings.ContainsAny(t.Name, "/\\\x00") {
			k.fail([]any{"targets", i}, "targets: %q is not a name of a folder, which queue.path needs: want a name without / and \\", t.Name)
		}
		if seen[t.Name] {
			k.fail([]any{"targets", i}, "targets: two targets have the name %q", t.Name)
		}
		seen[t.Name] = true
	}
}

// folders demands that the folders of targets of type files differ: each counts and
// removes the files of its own.
func (k *checker) folders(targets []Target) {
	seen := map[string]string{}
	for i, t := range targets {
		if t.Type != Files || t.Path == "" {
			continue
		}
		folder, err := filepath.Abs(t.Path)
		if err != nil {
			folder = filepath.Clean(t.Path)
		}
		if other, twice := seen[folder]; twice {
			k.fail([]any{"targets", i, "path"}, "path: target %s has the folder %s too", other, t.Path)
		}
		seen[folder] = t.Name
	}
}
