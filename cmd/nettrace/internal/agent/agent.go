// Package agent is the command agent, which profiles many processes and sends the
// profiles to servers.
package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// Variant is the command under another name, with further types of targets.
type Variant struct {
	// Name is the name of the command with its program.
	Name string
	// Push is the type of the target of --push.
	Push string
	// Server is an address of such a target, for the help.
	Server string
	// Types are the types of targets in the help, beside Push.
	Types string
	// Targets are the further types by their names in the configuration.
	Targets map[string]func(*delivery.Client) delivery.Target
}

// standard is the command agent of nettrace.
var standard = Variant{
	Name: "nettrace agent", Push: config.Pyroscope, Server: "http://pyroscope:4040",
	Types: "pyroscope_ingest, files; otlp with the program nettrace-otlp",
}

// Command returns the command agent.
func Command(p *run.Program) *cobra.Command {
	cmd := standard.Command(p)
	cmd.Use = strings.TrimPrefix(cmd.Use, "nettrace ")
	return cmd
}

// options are the flags of agent.
type options struct {
	variant Variant

	config  string
	name    string
	push    string
	listen  string
	every   time.Duration
	maxCPU  string
	check   bool
	dryRun  bool
	display terminal.Flags

	changed func(flag string) bool
}

// simple are the flags that replace a configuration file.
var simple = []string{"name", "push", "listen", "every", "max-cpu"}

// Command returns the command.
func (v Variant) Command(p *run.Program) *cobra.Command {
	o := options{variant: v}
	cmd := &cobra.Command{
		Use:   v.Name + " {--config FILE | --name PATTERN {--push URL | --listen ADDR}}",
		Short: "Profile many .NET processes continuously and send the profiles to servers",
		Long: "The agent attaches to each process that the configuration selects, within 3 s of its start and again\n" +
			"after a restart, and sends profiles every 10 to 60 s: wall, process_cpu, memory, mutex, block and\n" +
			"exceptions, to servers and into files. It serves the counters of all processes to Prometheus.\n\n" +
			"Stacks are sampled for 2 s of every 10 by default, because sampling costs a busy process a quarter\n" +
			"to a third of its processor time. A profile is sent until a target accepts or refuses it; a queue\n" +
			"that is full drops the oldest one. What is dropped is counted by target and reason.\n\n" +
			"The agent uses one processor, of which 8 busy processes with three targets need a tenth. The\n" +
			"environment variable GOMAXPROCS=N lets it use N.\n\n" +
			"The configuration is YAML:\n\n" +
			"  processes:\n" +
			"    - name: shop*               # also: command_line, env, container_id, pod_uid\n" +
			"  every: 10s\n" +
			"  sample: 2s/10s\n" +
			"  listen: 0.0.0.0:9464          # /metrics of all processes\n" +
			"  targets:\n" +
			"    - type: " + v.Push + "\n" +
			"      url: " + v.Server + "\n\n" +
			"Other types of targets: " + v.Types + ".\n\n" + keys +
			"A second port, 127.0.0.1:9465 unless the key admin has another one, serves /healthz, /readyz, the\n" +
			"agent's own /metrics and /debug/pprof. SIGHUP reads the configuration again; if it has an error, the\n" +
			"one in use stays. SIGINT and SIGTERM end the agent, after it has sent the profiles that wait.\n\n" +
			"With tls_server_config: {cert_file: FILE, key_file: FILE} the port of listen serves https, and with\n" +
			"admin_tls_server_config the second port. With client_ca_file: FILE in it, clients must present a\n" +
			"certificate of that CA. The agent uses files that replace these at the next connection.\n\n" +
			"Exit codes: 0 a signal ended the agent; 2 the command line or the configuration is wrong, an\n" +
			"address cannot be opened, or the list of processes cannot be read.",
		Example: "  " + v.Name + " --name shop --push " + v.Server + "\n" +
			"  " + v.Name + " --config agent.yaml --dry-run\n" +
			"  " + v.Name + " --config agent.yaml",
		Args: run.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.changed = cmd.Flags().Changed
			return o.run(p)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.config, "config", "", "read the configuration from `FILE`, in YAML")
	f.StringVarP(&o.name, "name", "n", "", "profile the processes whose program has the name `PATTERN`, such as shop or shop*")
	f.StringVar(&o.push, "push", "", "send the profiles to the server at `URL`, a target of type "+v.Push)
	f.StringVar(&o.listen, "listen", "", "serve the counters of all processes to Prometheus at `ADDR`: 127.0.0.1:9464")
	f.DurationVar(&o.every, "every", 10*time.Second, "send profiles every `TIME`, from 10s to 1m")
	f.StringVar(&o.maxCPU, "max-cpu", "", "sample less often when the agent uses more than this `SHARE` of one processor, such as 5%")
	f.BoolVar(&o.check, "check-config", false, "check the configuration and the files that it names, and end")
	f.BoolVar(&o.dryRun, "dry-run", false, "print which running processes would be profiled, and why others not, and end")
	o.display.AddFlags(cmd)
	return cmd
}

// run runs the command.
func (o *options) run(p *run.Program) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	c, err := o.read()
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	switch {
	case o.check:
		if err := o.checkFiles(c); err != nil {
			return exit.With(exit.Usage, err)
		}
		_, err := fmt.Fprintf(p.Stdout, "%s: %s, %s: no errors\n", o.config, entries(len(c.Processes)), display.Counted(int64(len(c.Targets)), "target"))
		return exit.WriteError(err)
	case o.dryRun:
		return o.printPlan(p, c)
	}
	return o.serve(p, c)
}

// checkFiles returns an error for each port and each target with a file that cannot be
// used.
func (o *options) checkFiles(c *config.Config) error {
	text, err := os.ReadFile(o.config)
	if err != nil {
		return err
	}
	var lines []string
	check := func(err error, where ...any) {
		if err != nil {
			lines = append(lines, fmt.Sprintf("%s: line %d: %s", o.config, config.Line(text, where...), exit.Text(err)))
		}
	}
	_, err = newServerTLS(config.TLSKey, c.TLS, nil)
	check(err, config.TLSKey)
	_, err = newServerTLS(config.AdminTLSKey, c.AdminTLS, nil)
	check(err, config.AdminTLSKey)
	for i, t := range c.Targets {
		check(delivery.CheckFiles(t), "targets", i)
	}
	if lines == nil {
		return nil
	}
	return errors.New(strings.Join(lines, o.variant.nextLine()))
}

func entries(n int) string {
	if n == 1 {
		return "1 entry of processes"
	}
	return fmt.Sprintf("%d entries of processes", n)
}

// checkFlags returns an error for flags that exclude each other.
func (o *options) checkFlags() error {
	switch {
	case o.check && o.dryRun:
		return errors.New("--check-config and --dry-run exclude each other")
	case o.check && o.config == "":
		return errors.New("--check-config needs --config")
	case o.config == "" && o.name == "":
		return errors.New("agent needs --config, or --name and a receiver: --push or --listen")
	case o.config == "" && o.push == "" && o.listen == "" && !o.dryRun:
		return errors.New("agent needs a receiver: --push URL or --listen ADDR")
	case o.config == "":
		return nil
	}
	for _, flag := range simple {
		if o.changed(flag) {
			return fmt.Errorf("--%s has no effect with --config: set the key in %s", flag, o.config)
		}
	}
	return nil
}

// read returns the configuration of the file or of the flags.
func (o *options) read() (*config.Config, error) {
	if o.config != "" {
		c, err := config.ReadFile(o.config, o.variant.furtherTypes()...)
		var path *fs.PathError
		if err != nil && !errors.As(err, &path) {
			err = errors.New(strings.ReplaceAll(err.Error(), "\n", o.variant.nextLine()+o.config+": "))
		}
		return c, err
	}
	c := config.Default()
	c.Processes = []config.Process{{Name: o.name}}
	c.Every, c.Listen = config.Duration(o.every), o.listen
	if o.push != "" {
		c.Targets = []config.Target{{Type: o.variant.Push, URL: o.push}}
	} else {
		c.Profiles = nil
	}
	if o.dryRun && o.listen == "" && o.push == "" {
		c.Listen = "127.0.0.1:0" // nothing is opened
	}
	if o.maxCPU != "" {
		var err error
		if c.MaxCPU, err = config.ParsePercent(o.maxCPU); err != nil {
			return nil, exit.Named("--max-cpu", err)
		}
	}
	return c, c.Check(o.variant.furtherTypes()...)
}

// furtherTypes returns the names of the types in Targets.
func (v *Variant) furtherTypes() []string { return slices.Sorted(maps.Keys(v.Targets)) }

// nextLine separates the errors of a message: the program begins the first one with its
// name too.
func (v *Variant) nextLine() string {
	program, _, _ := strings.Cut(v.Name, " ")
	return "\n" + program + ": "
}
