package config

import (
	"time"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// Config is the configuration of an agent. Default has the values of keys that
// a file leaves out.
type Config struct {
	// Processes selects the processes: each that one of the entries matches.
	Processes []Process `yaml:"processes"`
	// Profiles are the kinds of profiles, of ProfileKinds. Default: all.
	Profiles []string `yaml:"profiles"`
	// Counters selects counters and Meters in the form of dotnet-counters, for
	// Prometheus: with Listen. Default: EventCounters\System.Runtime.
	Counters string `yaml:"counters"`
	// Every is the length of a window: 10s to 60s. Default: 10s.
	Every Duration `yaml:"every"`
	// Sample is the part of each window in which stacks are sampled. Default:
	// 2s/10s.
	Sample Share `yaml:"sample"`
	// MaxCPU is the share of one processor that the agent uses before it samples
	// less often. 0 means no bound.
	MaxCPU Percent `yaml:"max_cpu"`
	// ExternalLabels are added to everything that is sent.
	ExternalLabels map[string]string `yaml:"external_labels"`
	// Rules are rules of package trigger. Each time that one becomes true is
	// printed and counted.
	Rules []string `yaml:"rules"`
	// Listen is the address that serves the counters of all processes under
	// /metrics. Default: none.
	Listen string `yaml:"listen"`
	// TLS makes Listen serve https. Default: http.
	TLS ServerTLS `yaml:"tls_server_config"`
	// Admin is the address that serves /healthz, /readyz, the agent's own
	// /metrics and its profiles. Default: 127.0.0.1:9465.
	Admin string `yaml:"admin"`
	// AdminTLS makes Admin serve https. Default: http. Probes of Kubernetes need
	// scheme: HTTPS, and have no certificate of a client.
	AdminTLS ServerTLS `yaml:"admin_tls_server_config"`
	// Queue bounds what waits for a target.
	Queue Queue `yaml:"queue"`
	// Targets receive the profiles.
	Targets []Target `yaml:"targets"`
}

// Process selects processes: those that all of its keys match.
type Process struct {
	// Name is a pattern of path.Match for the name of the program or of its
	// assembly.
	Name string `yaml:"name"`
	// CommandLine is a regular expression for a part of the program and its
	// arguments.
	CommandLine string `yaml:"command_line"`
	// Env has variables with their values at the start of the process.
	Env map[string]string `yaml:"env"`
	// ContainerID is the id of a container, or its beginning.
	ContainerID string `yaml:"container_id"`
	// PodUID is the uid of a Kubernetes pod.
	PodUID string `yaml:"pod_uid"`
	// ServiceName is the label service_name. Default: the name of the program.
	ServiceName string `yaml:"service_name"`

	selector eventpipe.Selector
}

// Selector returns the selector of the processes.
func (p *Process) Selector() eventpipe.Selector { return p.selector }

// Queue bounds the profiles that wait for a target, for each target.
type Queue struct {
	// MaxBytes bounds the size. Default: 4MiB, the profiles of 8 busy processes in some
	// minutes.
	MaxBytes Size `yaml:"max_bytes"`
	// Path is a folder in which profiles wait, so that they outlast the agent. The
	// program locks it for one agent, except on Windows. Default: in memory.
	Path string `yaml:"path"`
}

// Target is a receiver of profiles.
type Target struct {
	// Type is one of TargetTypes, or a further type of the program.
	Type string `yaml:"type"`
	// Name distinguishes targets in messages and metrics, and is the name of the
	// target's folder in Queue.Path. It has no / and \. Default: the type and its
	// number among the targets.
	Name string `yaml:"name"`

	// URL is the address of the receiver, without the path of the protocol, and
	// without user, query and fragment. The agent connects to it directly, not by
	// the proxy of the environment.
	URL string `yaml:"url"`
	// Headers are added to each request, such as X-Scope-OrgID. Those of the
	// connection and of the body, such as Host and Content-Type, are errors.
	Headers map[string]string `yaml:"headers"`
	// BearerTokenFile has the token of the header Authorization. It is read for
	// each request.
	BearerTokenFile string `yaml:"bearer_token_file"`
	// BasicAuth has a user and a password instead.
	BasicAuth BasicAuth `yaml:"basic_auth"`
	// TLS configures https.
	TLS TLS `yaml:"tls_config"`
	// RemoteTimeout bounds a request. Default: 10s.
	RemoteTimeout Duration `yaml:"remote_timeout"`
	// MinBackoff is the first pause after a failure. Default: 500ms.
	MinBackoff Duration `yaml:"min_backoff_period"`
	// MaxBackoff bounds the pauses. Default: 5m.
	MaxBackoff Duration `yaml:"max_backoff_period"`

	// Path is the folder of type files.
	Path string `yaml:"path"`
	// MaxBytes bounds the size of all files in Path. The oldest are removed
	// first. Default: 1GiB.
	MaxBytes Size `yaml:"max_bytes"`
	// MaxFiles bounds their number. 0 means no bound.
	MaxFiles int `yaml:"max_files"`
}

// BasicAuth is a user with the password, or with the file that has it.
type BasicAuth struct {
	Username     string `yaml:"username"`      // name of the user
	Password     string `yaml:"password"`      // instead of PasswordFile
	PasswordFile string `yaml:"password_file"` // has the password; read for each request
}

// TLS configures a client.
type TLS struct {
	CAFile             string `yaml:"ca_file"`              // certificates to trust instead of the system's
	ServerName         string `yaml:"server_name"`          // instead of the host in the URL
	InsecureSkipVerify bool   `yaml:"insecure_skip_verify"` // accept any certificate
}

// Keys of the file with the TLS of Listen and of Admin.
const (
	TLSKey      = "tls_server_config"
	AdminTLSKey = "admin_tls_server_config"
)

// ServerTLS configures a server: TLS 1.2 or 1.3. The agent reads the files again for each
// connection; while they have an error, the certificates before it stay in use.
type ServerTLS struct {
	CertFile     string `yaml:"cert_file"`      // certificate of the server, with those between it and its CA
	KeyFile      string `yaml:"key_file"`       // its private key
	ClientCAFile string `yaml:"client_ca_file"` // clients must present a certificate of one of these CAs
}

// ProfileKinds returns the kinds of profiles.
func ProfileKinds() []string {
	return []string{"wall", "process_cpu", "memory", "mutex", "block", "exceptions"}
}

// Types of targets.
const (
	Pyroscope       = "pyroscope"        // PusherService/Push
	PyroscopeIngest = "pyroscope_ingest" // /ingest, of older servers
	Files           = "files"            // files in a folder
)

// OTLP is the type of targets that the program nettrace-otlp adds: the protocol of
// OpenTelemetry.
const OTLP = "otlp"

// TargetTypes returns the types of targets.
func TargetTypes() []string { return []string{Pyroscope, PyroscopeIngest, Files} }

// Default returns the configuration of an empty file.
func Default() *Config {
	return &Config{
		Profiles: ProfileKinds(),
		Counters: counters.Default().String(),
		Every:    Duration(10 * time.Second),
		Sample:   Share{2 * time.Second, 10 * time.Second},
		Admin:    "127.0.0.1:9465",
		Queue:    Queue{MaxBytes: 4 << 20},
	}
}
