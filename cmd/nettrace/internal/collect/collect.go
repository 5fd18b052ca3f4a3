// Package collect is the command collect, which records running processes, and
// the command list-profiles.
package collect

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/formats"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/units"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/eventpipe/sessionfile"
)

// options are the flags of collect.
type options struct {
	attach.Options
	output string
	force  bool

	profiles      []string
	providers     string
	each          []string
	asked         []string // names of providers and each
	clrEvents     string
	clrEventLevel string
	filters       []string
	config        string
	bufferMB      int
	buffering     string
	rundown       string
	noLines       bool
	sources       string
	names         string
	noStacks      bool
	noThreadTimes bool
	interval      time.Duration // of --sampling-interval; 0: not given
	rate          string        // the value of runtimes.SamplingInterval for it
	unchanged     bool          // of --raw
	format        string
	dsrouter      string

	duration string
	maxSize  string
	drain    time.Duration
	stopOn   string
	stopping stoppingEvent
	ring     string
	keepRaw  bool
	writing
	rotation

	resume      bool
	kill        bool
	children    bool
	childIO     bool
	exitCode    string
	stats       bool
	cpu         cpuSampling
	limit       time.Duration      // of duration
	most        int64              // bytes, of maxSize
	kept        record.RingOptions // of ring
	match       *trigger.Match     // of stopOn and stopping; nil for none
	session     eventpipe.SessionConfig
	selected    *provider.Resolved
	conversion  *conversion // of format; nil for none
	dump        bool        // a heap dump ends the recording
	sized       bool        // the user chose the size of the buffer
	early       bool        // names are read early, see names
	lesser      bool        // the rundown may be left out where it cannot be chosen
	ownName     bool        // no output was named, or a folder
	folder      string      // that was named, or ""
	stem        string      // of the names of files: the part before extension
	extension   string
	compression record.Compression
}

// Command returns the command collect.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "collect {-p PID | -n NAME | --port ADDR | -- COMMAND}",
		Short: "Record the events of a running .NET process",
		Long: "collect records the events of a .NET process in a file until the process ends, --duration or\n" +
			"--max-size is reached, an event that --stop-on names arrives, or Ctrl-C. The process then sends the\n" +
			"rundown, which has the names of its methods; a second Ctrl-C ends the recording without it. SIGTERM\n" +
			"and SIGHUP have the effect of Ctrl-C, and COMMAND gets them when its session has ended; signals\n" +
			"within 500 ms count as one. If the process, the disk or collect fails, the file can be read up to\n" +
			"the failure. If the process is suspended at its start, collect resumes it when the session has\n" +
			"started (see --resume-runtime).\n\n" +
			"Without -p, -n or --port, collect starts COMMAND and records the first .NET process among it and its\n" +
			"children, from the first event of that process on. The command keeps the terminal and its streams\n" +
			"(with -o - its standard output goes to standard error). It goes on when the recording ends, and\n" +
			"collect waits for it; --kill ends it. Other .NET processes that COMMAND starts are suspended, and\n" +
			"collect resumes each immediately. It does so until 5 s after COMMAND has ended, then prints the\n" +
			"processes that still run. If the recording is complete, the exit code is that of the command (see\n" +
			"--exit-code).\n\n" +
			"--ring keeps only the last part, in memory, and writes it to a file of its own at the end and at\n" +
			"each SIGUSR1. Each of these files is complete.\n\n" +
			"A process that is killed sends no rundown. --names early and --names both therefore read the names\n" +
			"before: collect starts a session for the names of later methods and reads a rundown, which holds up\n" +
			"the collections of the process once (its time and size are printed). It keeps up to 64 MiB of names\n" +
			"in memory and writes them at the end if the process sent no rundown, and with each SIGUSR1.\n\n" +
			"--write-on also writes it when a rule becomes true. The files are NAME_yyyyMMdd_HHmmss.nettrace,\n" +
			"each with a FILE.json that has the reason (rule, signal or end) and, for each rule that became true,\n" +
			"the rule, the time and the value. Rules:\n" +
			"  System.Runtime/cpu-usage > 80 for 10s       a counter or an instrument of a Meter\n" +
			"  My.Meter/orders:region=eu* < 5 for 1m       its time series with a tag\n" +
			"  My.Meter/query.duration:p95 > 0.5           a quantile of a histogram: p50, p95 or p99\n" +
			"  ExceptionThrown:ExceptionType=*Timeout*     an event of the runtime, with a condition\n" +
			"  My-Source/OrderFailed:Amount>=1000 > 10/s   more events than that in any second\n" +
			"  gc-pause > 200ms                            a pause by the garbage collector\n" +
			"  request > 2s, client-request > 2s           a request that Kestrel served, or HttpClient sent\n" +
			"  threadpool-queue > 100 for 5s               work items that wait for a thread\n" +
			"  working-set > 2GB                           memory of the process\n" +
			"Values with spaces, commas, < or > are in quotes; times are those of the events. collect adds to\n" +
			"the session what the rules need, and prints it. A rule that no event can match is an error.\n" +
			"--max-files and --max-disk bound all files of that name with a FILE.json, those of earlier runs too,\n" +
			"and --max-disk at every moment, with the FILE.partial that is being written. A FILE.partial that a\n" +
			"killed run has left is deleted (not on Windows). A file larger than --max-disk is not written.\n\n" +
			"--rotate begins a new file after a time or a size, with a session of its own, so that each file has\n" +
			"the names of its methods. The new session starts before the old one ends: the events of that time\n" +
			"are in both files. --keep deletes the oldest files of this recording. The size is that of the\n" +
			"stream, uncompressed; the rundown comes after it.\n\n" +
			"On Linux collect adds the processor time of each thread at the end, as events of the provider\n" +
			"Nettrace-Collector, for top --type cpu. --raw writes nothing that the process did not send.\n\n" +
			"A runtime of .NET 11 keeps the last records of its async profiler, which --profile async and the\n" +
			"default profiles record. Before the stop collect therefore has it write them, which takes 1.5 s.\n\n" +
			"--profile cpu, or --cpu-sampler perf, lets Linux take the samples: one for each 1/997 s of processor\n" +
			"time (--cpu-rate), in managed, native and kernel code, with the times in which a thread had no\n" +
			"processor. No thread is suspended. It needs no root for the user code of own processes. The file is\n" +
			"of version 6, and is written at the end; until then the session is in FILE.session, and the samples\n" +
			"are in a file without a name, compressed and encrypted: they have copies of stacks, which repair the\n" +
			"call chains and are never written (--no-unwind makes none). Where perf is not permitted, the runtime's\n" +
			"sampler takes the samples. --native records a process that has no .NET runtime, and --check-perf\n" +
			"prints what the machine permits.\n\n" +
			"--profile gcdump records a heap dump, for nettrace heap: the process makes one blocking collection\n" +
			"of generation 2, and collect ends after it and prints the size of the dump and the time for which\n" +
			"the process was paused. Only one nettrace at a time makes a dump of a process. It is an error if no\n" +
			"collection begins within 30 s. The process keeps the dump in memory until collect has read it, up to\n" +
			".NET 10 all of it: about 62 bytes for an object. Without --buffersize the buffer may take half of the\n" +
			"memory that the machine and the cgroup of the process have left; a dump that may need more is refused\n" +
			"without --force. A dump of which data is missing is an error. With --buffering-mode Block the process\n" +
			"stands still until collect has read the dump: Ctrl-C does not end collect before.\n\n" +
			"Options of dotnet-trace have the same meaning, with these differences:\n" +
			"  -o                an existing file is not replaced without --force; the default name has the name\n" +
			"                    of the program (app), not of its host (dotnet); with --format, a FILE with the\n" +
			"                    extension of the format is the second file, and the recording is beside it\n" +
			"  -n                is the name of the program, not of its host\n" +
			"  --providers       spaces around the parts of a provider have no effect; a level below 0, an\n" +
			"                    argument with a second = or without one, and a quote that is not closed are\n" +
			"                    errors: FilterAndPayloadSpecs=\"A/B:-X=Y.Z\"; an escaped quote does not end\n" +
			"                    a value; escapes that name a control character (\\cA) or have octal digits are\n" +
			"                    refused; --provider accepts arguments with commas\n" +
			"  --duration        a number without unit, which are days there, is an error; 30s is accepted\n" +
			"  --rundown         also accepts keywords\n" +
			"  --stopping-event  an event that the providers do not select is an error: there it never comes\n" +
			"  -- COMMAND        its output is always shown (--show-child-io has no effect), it is not ended with\n" +
			"                    the recording (see --kill), and its exit code is that of collect\n" +
			"  --dsrouter        is refused: start dotnet-dsrouter, and record with -p and its PID\n" +
			"  true and false    follow an equals sign: --resume-runtime=false\n" +
			"  the file          also has the events that collect adds (see above and --raw)\n\n" +
			"With --format, collect converts the recording when it has ended, as nettrace convert does (html: as\n" +
			"nettrace report --format html). As in dotnet-trace the recording stays, and the second file has its\n" +
			"name with another extension: --format pprof with -o app.nettrace or with -o app.pb.gz writes both\n" +
			"files. The exit code is 1 if the second one cannot be made, for example without samples.\n\n" +
			"A malformed stream ends the session at once; the file then has the events before the fault.\n" +
			"--keep-raw saves the bytes of the stream unchanged in a second file, whose extension is .raw.\n\n" +
			"Exit codes: 0 the recording is complete; 1 it is incomplete: the process was killed, the disk was\n" +
			"full, the process fell silent for --drain before the end, the stream was malformed, or another\n" +
			"client receives the Meters that a rule needs (standard error has the reason); 2 the command line is\n" +
			"wrong, or the process cannot be reached; 3 the runtime does not support the request.",
		Example: "  nettrace collect -p 4711 --duration 30s\n" +
			"  nettrace collect -o app.nettrace.zst --profile gc-verbose -- dotnet app.dll\n" +
			"  nettrace collect -p 4711 --duration 30s --format speedscope -o app.nettrace\n" +
			"  nettrace collect -p 4711 --profile cpu --duration 30s -o cpu.nettrace\n" +
			"  nettrace collect -p 4711 --profile gcdump -o dump.nettrace.zst\n" +
			"  nettrace collect -n shop --ring 60s --write-on 'gc-pause > 200ms' --write-on 'request > 2s'\n" +
			"  nettrace collect -n shop -o shop.nettrace.zst --rotate 1h --keep 24\n" +
			"  nettrace collect -n shop --ring 10m --stop-on Microsoft-Windows-DotNETRuntime/ExceptionThrown\n" +
			"  nettrace collect -p 4711 --provider 'My-Source:0x1:verbose:Filter=\"a,b\"' -o - | nettrace events -",
		RunE: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				args, o.Command = args[:at], args[at:]
			}
			if len(args) > 0 {
				return misplaced(args[0])
			}
			if o.cpu.check {
				return checkPerf(p, &o)
			}
			if err := o.check(cmd.Flags().Changed); err != nil {
				return err
			}
			if o.cpu.native {
				return collectNative(p, &o)
			}
			return collect(p, &o)
		},
	}
	o.addFlags(cmd)
	return cmd
}

// misplaced returns the error for an argument that is not after --. dotnet-trace accepts
// the value of a flag such as --resume-runtime as the next argument.
func misplaced(arg string) error {
	if _, err := strconv.ParseBool(arg); err == nil {
		return fmt.Errorf("collect takes a command after --, and no %q before it; the value of a flag that is true or false follows =: --resume-runtime=%s", arg, arg)
	}
	return fmt.Errorf("collect takes a command after --, and no %q before it", arg)
}

func (o *options) addFlags(cmd *cobra.Command) {
	o.Options.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "", "write to `FILE`; - is standard output; .zst and .gz compress; into a folder, with the default name (NAME_yyyyMMdd_HHmmss.nettrace)")
	f.BoolVar(&o.force, "force", false, "replace FILE if it exists; make a heap dump although the memory of the process may not hold it")
	f.StringSliceVar(&o.profiles, "profile", nil, "record the providers of these `PROFILES`: see list-profiles (default, if no provider or keyword is given: dotnet-common,dotnet-sampled-thread-time, and the async profiler of .NET 11)")
	f.StringVar(&o.providers, "providers", "", "record the providers of this `LIST`: Name:keywords:level:arguments, with commas between providers; only Name is required; keywords are hexadecimal, arguments key=value;key=\"a;b\\r\\n\" with the escapes \\r \\n \\t \\\" \\\\ \\xHH \\uHHHH")
	f.StringArrayVar(&o.each, "provider", nil, "in addition to those of --providers, --profile and --clrevents record this `PROVIDER`, in the form of --providers; its arguments may have commas; can be repeated")
	f.StringVar(&o.clrEvents, "clrevents", "", "record these `KEYWORDS` of the runtime, with + between them: gc+exception")
	f.StringVar(&o.clrEventLevel, "clreventlevel", "", "`LEVEL` of --clrevents, a name or a number (default informational)")
	f.StringArrayVar(&o.filters, "event-filter", nil, "`FILTER` of a provider: PROVIDER:+10,200 records only its events 10 and 200, PROVIDER:-80 all but event 80 (.NET 10 or later)")
	f.StringVar(&o.config, "config", "", "read the providers and profiles to record from `FILE`: JSON if its name ends in .json, otherwise TOML; flags add to it")
	f.IntVar(&o.bufferMB, "buffersize", 256, "size of the buffer for events in the process, in `MB`")
	f.StringVar(&o.buffering, "buffering-mode", "Drop", "when the buffer is full, `MODE` Drop loses new events and Block lets the threads that log events wait (.NET 11 or later)")
	f.StringVar(&o.rundown, "rundown", "", "request a `RUNDOWN` at the end: true, false, or, with .NET 9 or later, its keywords in hexadecimal (default: as the profiles say)")
	f.BoolVar(&o.noLines, "no-lines", false, "leave out the maps that source lines need, about 160 bytes for each compiled method (.NET 9 or later)")
	f.StringVar(&o.sources, "sources", "", "store `SOURCES` of the code in stacks in the file at the end: lines, of PDBs and images beside the process, with names of NativeAOT functions; see nettrace symbolize")
	f.StringVar(&o.names, "names", "", "read the names of methods `WHEN`: late (the rundown at the end), early (before and during the recording) or both (default: both with --ring and with a command, otherwise late)")
	f.BoolVar(&o.noStacks, "no-stacks", false, "do not record stacks, except those of samples (.NET 9 or later)")
	f.BoolVar(&o.noThreadTimes, "no-thread-times", false, "do not add the processor time of each thread, which top --type cpu uses (Linux; needs the PID)")
	f.DurationVar(&o.interval, "sampling-interval", 0, "let the sampler of COMMAND take its samples every `TIME`, of 1ms to 999ms (default 1ms); for a running process it cannot be changed")
	f.BoolVar(&o.unchanged, "raw", false, "write exactly the bytes that the process sent: no times of threads, no names that were read early")
	f.StringVarP(&o.format, "format", "f", traceFormat, "also convert the recording to `FORMAT` at its end, into a second file: "+strings.Join(formatNames()[1:], ", ")+"; NetTrace: do not")
	f.StringVar(&o.duration, "duration", "", "stop after this `TIME`: 30s, 1m30s, or dd:hh:mm:ss (01:02 is 1 h 2 min)")
	f.StringVar(&o.maxSize, "max-size", "", "stop when the process has sent this `SIZE` (500MB); the rundown comes after it")
	f.DurationVar(&o.drain, "drain", time.Minute, "max `TIME` in which the process sends nothing, after the recording was stopped and before the stream ends")
	f.StringVar(&o.stopOn, "stop-on", "", "stop at this `EVENT`: PROVIDER/NAME or PROVIDER/ID, with :field=value for a value in its payload")
	f.StringVar(&o.stopping.provider, "stopping-event-provider-name", "", "stop at an event of this `PROVIDER`")
	f.StringVar(&o.stopping.event, "stopping-event-event-name", "", "stop at an event of this `NAME`: as in a manifest, or Task/Opcode")
	f.StringVar(&o.stopping.payload, "stopping-event-payload-filter", "", "stop at an event with these `FIELDS`: name:value,name:value")
	f.StringVar(&o.ring, "ring", "", "keep only the last part, in memory: a `TIME` (10m), a size (500MB), or both with a comma")
	f.StringArrayVar(&o.writeOn, "write-on", nil, "write what --ring keeps when this `RULE` is true: 'gc-pause > 200ms' (see above); can be repeated")
	f.DurationVar(&o.cooldown, "cooldown", defaultCooldown, "`TIME` after a rule was true during which it writes no further file")
	f.IntVar(&o.maxFiles, "max-files", defaultMaxFiles, "max `NUMBER` of files of --write-on: the oldest is deleted first (0: no bound)")
	f.StringVar(&o.maxDisk, "max-disk", "", "max `SIZE` of all files of --write-on (2GB): the oldest is deleted first")
	f.StringVar(&o.rotate, "rotate", "", "begin a new file after this `TIME` (1h) or size (100MB), or both with a comma")
	f.IntVar(&o.keep, "keep", defaultKeep, "max `NUMBER` of files of --rotate: the oldest is deleted first (0: no bound)")
	f.BoolVar(&o.keepRaw, "keep-raw", false, "also save the bytes of the stream, unchanged, in a second file, whose extension is .raw")
	f.BoolVar(&o.resume, "resume-runtime", true, "resume a process that is suspended at its start, when its session has started")
	f.BoolVar(&o.kill, "kill", false, "end the command when the recording has ended")
	f.BoolVar(&o.children, "children", false, "also record the .NET processes that the command starts, each in a file with _PID before the extension: app_4711.nettrace")
	f.BoolVar(&o.childIO, "show-child-io", true, "accepted as in dotnet-trace; has no effect")
	f.StringVar(&o.exitCode, "exit-code", "child", "`SOURCE` of the exit code: child (the command, if the recording is complete) or self (the recording)")
	f.BoolVar(&o.stats, "stats", false, "print the memory and the processor time of the recording")
	o.cpu.addFlags(f)
	f.StringVar(&o.dsrouter, "dsrouter", "", "`PLATFORM` of a router: as in dotnet-trace, but refused")
	_ = f.MarkHidden("dsrouter")
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "diagnostic-port" || name == "dport" { // as dotnet-trace has it
			name = "port"
		}
		return pflag.NormalizedName(name)
	})
	for flag, values := range map[string][]string{
		"format": formatNames(), "buffering-mode": {"Drop", "Block"}, "exit-code": {"child", "self"}, "rundown": {"true", "false"}, "names": {"early", "late", "both"}, "sources": {sourceLines},
	} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
}

// check parses the flags, and returns an error for values that are wrong or
// exclude each other.
func (o *options) check(changed func(flag string) bool) (err error) {
	switch {
	case o.dsrouter != "":
		return fmt.Errorf("--dsrouter: start dotnet-dsrouter %s, and record with -p and its PID", o.dsrouter)
	case o.Given() != 1:
		return errors.New("collect needs one of -p, -n and --port, or -- and a command")
	case o.exitCode != "child" && o.exitCode != "self":
		return fmt.Errorf("--exit-code: %q is neither child nor self", o.exitCode)
	case len(o.Command) == 0 && (o.kill || o.children):
		return errors.New("--kill and --children need a command after --")
	case o.keepRaw && (o.ring != "" || o.output == output.Stdout):
		return errors.New("--keep-raw needs a file as output: no --ring, no -o -")
	case o.force && (o.rotates() || len(o.writeOn) > 0):
		return errors.New("--force has no effect with --rotate and --write-on: each file has a new name")
	case o.noThreadTimes && o.unchanged:
		return errors.New("--no-thread-times has no effect with --raw, which adds no times of threads")
	case o.unchanged && (o.ring != "" || o.names != "" && o.names != "late"):
		return errors.New("--raw writes what the process sent: no --ring, no --names early or both")
	case o.children && (o.ring != "" || o.output == output.Stdout):
		return errors.New("--children takes a file for each process: no --ring, no -o -")
	}
	if err := o.checkSources(); err != nil {
		return err
	}
	o.sized = changed("buffersize")
	if err := o.checkInterval(changed("sampling-interval")); err != nil {
		return err
	}
	if o.limit, err = units.ParseDuration(o.duration); err != nil {
		return err
	}
	if o.maxSize != "" {
		if o.most, err = units.ParseSize(o.maxSize); err != nil {
			return exit.Named("--max-size", err)
		}
	}
	if o.kept, err = attach.ParseRing(o.ring); err != nil {
		return exit.Named("--ring", err)
	}
	if err := o.checkRules(changed); err != nil {
		return err
	}
	if o.match, err = parseStop(o.stopOn, o.stopping); err != nil {
		return err
	}
	if o.conversion, err = o.parseConversion(); err != nil {
		return err
	}
	if err := o.checkRotation(changed); err != nil {
		return err
	}
	if err := o.checkSampler(changed); err != nil {
		return err
	}
	if err := formats.CheckTraceName(o.output); err != nil {
		return err
	}
	o.named()
	if err := o.resolve(); err != nil {
		return err
	}
	if err := o.chooseNames(); err != nil {
		return err
	}
	if err := o.checkDump(); err != nil {
		return err
	}
	return o.conversion.agrees(o.dump)
}

// resolve makes the configuration of the session from the flags.
func (o *options) resolve() error {
	s := provider.Selection{Profiles: o.profiles, CLREvents: o.clrEvents, CLREventLevel: o.clrEventLevel, Filters: o.filters}
	rundown := any(nil)
	cfg := &o.session
	cfg.BufferMB, cfg.NoStacks = o.bufferMB, o.noStacks
	if o.config != "" {
		c, err := readConfig(o.config)
		if err != nil {
			return err
		}
		if s.Providers, err = c.Selected(); err != nil {
			return exit.Named(o.config, err)
		}
		s.Profiles = append(s.Profiles, c.Profiles...)
		if s.CLREvents == "" {
			s.CLREvents, s.CLREventLevel = c.CLREvents, c.CLREventLevel
		}
		if c.BufferSize != 0 && o.bufferMB == 256 {
			cfg.BufferMB, o.sized = c.BufferSize, true
		}
		cfg.NoStacks = cfg.NoStacks || c.Stacks != nil && !*c.Stacks
		rundown = c.Rundown
	}
	list, err := provider.ParseList(o.providers)
	if err != nil {
		return exit.Named("--providers", err)
	}
	for _, text := range o.each {
		one, err := provider.Parse(text)
		if err != nil {
			return exit.Named("--provider", err)
		}
		list = append(list, one)
	}
	for _, p := range list {
		o.asked = append(o.asked, p.Name)
	}
	s.Providers = append(s.Providers, list...)
	if o.selected, err = s.Resolve(); err != nil {
		return err
	}
	cfg.Providers = o.selected.Providers
	if err := o.addRules(); err != nil {
		return err
	}
	o.dump = isDump(s.Profiles)
	if o.match != nil {
		if err := o.match.Check(cfg.Providers); err != nil {
			return withNearest("--stop-on", err)
		}
	}
	if o.rundown != "" {
		rundown = o.rundown
	}
	return o.settle(rundown)
}

// maxBufferMB is the largest buffer that a session can have: 1 TiB.
const maxBufferMB = 1 << 20

// settle sets the rundown and the mode of the buffer.
func (o *options) settle(rundown any) (err error) {
	cfg := &o.session
	switch {
	case cfg.BufferMB < 1 || cfg.BufferMB > maxBufferMB:
		return fmt.Errorf("--buffersize: %d is not a size in MB: want 1 to %d", cfg.BufferMB, maxBufferMB)
	case strings.EqualFold(o.buffering, "Block"), o.buffering == "1": // the numbers are those of dotnet-trace
		cfg.BlockWhenFull = true
	case !strings.EqualFold(o.buffering, "Drop") && o.buffering != "0":
		return fmt.Errorf("--buffering-mode: %q is neither Drop nor Block", o.buffering)
	}
	if cfg.RundownKeyword, cfg.NoRundown, err = provider.RundownKeyword(rundown); err != nil {
		return err
	}
	switch {
	case rundown == nil:
		cfg.RundownKeyword, o.lesser = o.selected.Rundown, o.selected.RundownOptional
	case !cfg.NoRundown && cfg.RundownKeyword == 0 && o.selected.Rundown != 0: // --rundown true
		cfg.RundownKeyword = eventpipe.DefaultRundown | o.selected.Rundown
	}
	if o.noLines {
		withoutLines(cfg)
	}
	return nil
}

// keywordLines is that of the maps from native code to IL code, in events and in the rundown.
const keywordLines = 0x20000

// withoutLines leaves the maps of source lines out of a session.
func withoutLines(cfg *eventpipe.SessionConfig) {
	if !cfg.NoRundown {
		if cfg.RundownKeyword == 0 {
			cfg.RundownKeyword = eventpipe.DefaultRundown
		}
		cfg.RundownKeyword &^= keywordLines
	}
	for i := range cfg.Providers {
		if p := &cfg.Providers[i]; p.Name == clr.RuntimeProvider {
			p.Keywords &^= keywordLines
		}
	}
}

func readConfig(name string) (*provider.Config, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return sessionfile.Read(name, f)
}
