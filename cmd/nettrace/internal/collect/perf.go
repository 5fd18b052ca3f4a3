package collect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/perftrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/perf"
)

// Values of --cpu-sampler.
const (
	samplerEventPipe = "eventpipe"
	samplerPerf      = "perf"
	samplerBoth      = "both"
)

// cpuSampling has the flags about samples of processor time.
type cpuSampling struct {
	sampler  string
	rate     int
	native   bool
	check    bool
	noUnwind bool
}

func (s *cpuSampling) addFlags(f *pflag.FlagSet) {
	f.StringVar(&s.sampler, "cpu-sampler", "", "take samples by `SAMPLER`: eventpipe (the runtime's), perf (of Linux: processor time in managed, native and kernel code) or both (default: eventpipe; with --profile cpu and --native: perf)")
	f.IntVar(&s.rate, "cpu-rate", perf.DefaultRate, "samples of perf per second of processor time, in `HZ`")
	f.BoolVar(&s.native, "native", false, "record the processor time of any process of -p, without a .NET runtime")
	f.BoolVar(&s.check, "check-perf", false, "print what this machine permits --cpu-sampler perf to record, and record nothing")
	f.BoolVar(&s.noUnwind, "no-unwind", false, "do not repair call chains of perf by copies of the stack")
}

// perf reports whether perf takes samples.
func (s *cpuSampling) perf() bool { return s.sampler == samplerPerf || s.sampler == samplerBoth }

// checkSampler checks the flags about samples, and chooses the profiles that go with them.
func (o *options) checkSampler(changed func(flag string) bool) error {
	s := &o.cpu
	asked := slices.Contains(o.profiles, provider.CPU)
	if s.sampler == "" && (asked || s.native) {
		s.sampler = samplerPerf
	}
	switch {
	case !slices.Contains([]string{"", samplerEventPipe, samplerPerf, samplerBoth}, s.sampler):
		return fmt.Errorf("--cpu-sampler: %q is none of eventpipe, perf and both", s.sampler)
	case changed("cpu-rate") && (s.rate < 1 || s.rate > 100_000):
		return fmt.Errorf("--cpu-rate: %d is not a rate: want 1 to 100000", s.rate)
	case !s.perf():
		if changed("cpu-rate") || s.noUnwind {
			return errors.New("--cpu-rate and --no-unwind need --cpu-sampler perf")
		}
		return nil
	case o.ring != "" || o.rotates() || o.children || o.unchanged || o.keepRaw:
		return errors.New("--cpu-sampler perf makes one file at the end: no --ring, --rotate, --children, --raw or --keep-raw")
	case s.native && o.PID == 0:
		return errors.New("--native needs -p and a PID")
	}
	o.noThreadTimes = true // the samples are processor time
	if s.sampler == samplerPerf && len(o.profiles) == 0 && o.providers == "" && len(o.each) == 0 && o.clrEvents == "" && o.config == "" {
		o.profiles = []string{provider.CPU}
	}
	return nil
}

// sampled is the recording of perf beside a session.
type sampled struct {
	recorder *perf.Recorder
	spool    *perf.Spool
	rec      *perf.Recording
	clock    perf.Clock
	files    *perf.Files
	cancel   context.CancelFunc
	done     chan error
}

// startSampling begins to record the processor time of a process.
func (c *collecting) startSampling(pid int, folder string) (s *sampled, err error) {
	opt := perf.Options{PID: pid, Rate: c.o.cpu.rate}
	if !c.o.cpu.noUnwind {
		opt.StackBytes = stackBytes
	}
	s = &sampled{done: make(chan error, 1)}
	if s.rec, err = perf.Process(pid); err != nil {
		return nil, err
	}
	if s.clock, err = perf.ClockOf(pid); err != nil {
		return nil, err
	}
	s.rec.Start, s.rec.StartReal = s.clock.Now()
	if s.recorder, err = perf.Start(opt); err != nil {
		return nil, err
	}
	if s.spool, err = perf.NewSpool(folder, opt.StackBytes > 0 && perf.HasRegisters); err != nil {
		s.recorder.Close()
		return nil, err
	}
	s.files = perf.FilesOf(pid)
	for i := range s.rec.Maps {
		s.files.Keep(&s.rec.Maps[i])
	}
	s.rec.UserOnly = !s.recorder.Scope().Kernel
	if why := s.recorder.Scope().Why; why != "" {
		c.p.Complain("perf: %s", why)
	}
	ctx, cancel := context.WithCancel(c.stop)
	s.cancel = cancel
	go func() { s.done <- s.recorder.Run(ctx, s.take) }()
	return s, nil
}

// stackBytes is the copy of the stack in a sample: 4 KiB repair nearly all chains, 8 those of
// forty calls of native code without frame pointers too.
const stackBytes = 8192

// take keeps a record, and the files that the process maps.
func (s *sampled) take(b []byte) error {
	if m, ok := perf.MappingOf(b); ok {
		s.files.Keep(&m)
	}
	return s.spool.Add(b)
}

// end ends the recording.
func (s *sampled) end() error {
	s.cancel()
	err := <-s.done
	s.rec.End, _ = s.clock.Now()
	s.recorder.Close()
	if err == nil {
		err = s.spool.End()
	}
	s.rec.Records, s.rec.Open, s.rec.Kernel = s.spool.Records(s.clock), s.files.Open, perf.Kernel()
	return err
}

func (s *sampled) close() {
	s.spool.Close()
	s.files.Close()
}

// recordSampled records a process with perf into one file: the session into a file beside it
// first, which then becomes a part of it.
func (c *collecting) recordSampled(r *recording, name string) (complete bool, err error) {
	if err := c.o.conversion.free(c.o, name); err != nil {
		return false, exit.With(exit.Usage, err)
	}
	if err := c.o.free(name); err != nil {
		return false, exit.With(exit.Usage, err)
	}
	part := name + sessionSuffix
	if name == output.Stdout {
		return false, exit.With(exit.Usage, errors.New("--cpu-sampler perf needs a file as output: no -o -"))
	}
	if err := r.a.Proven(c.stop); err != nil {
		return c.withoutPerf(r, name, err)
	}
	if r.a.InNamespace() {
		c.p.Complain("warning: perf has the numbers of threads of this machine, the events those of the PID namespace of %s: the trace has each thread twice", r.a.Title)
	}
	s, err := c.startSampling(r.a.PID, filepath.Dir(name))
	if err != nil {
		return c.withoutPerf(r, name, err)
	}
	defer s.close()
	one, err := c.begin(r, part)
	if err != nil {
		_ = s.end() // nothing is written
		return false, err
	}
	complete = one.finish()
	if err := s.end(); err != nil {
		c.p.Complain("%s: %v; the session is in %s", name, err, part)
		return false, nil
	}
	job := perftrace.Job{Recording: s.rec, NoUnwind: c.o.cpu.noUnwind, Folder: filepath.Dir(name)}
	if info, err := os.Stat(part); err == nil && info.Size() > 0 {
		job.Session = func() (io.ReadCloser, error) { return perftrace.Open(part) }
	}
	if !c.write(&job, name) {
		c.p.Complain("the session is in %s", part)
		return false, nil
	}
	_ = os.Remove(part) // all of it is in the file
	return c.complete(r.a, name) && complete, nil
}

// sessionSuffix is added to the name of a file for the session alone.
const sessionSuffix = ".session"

// withoutPerf records with the runtime's sampler, because perf is not possible.
func (c *collecting) withoutPerf(r *recording, name string, why error) (complete bool, err error) {
	c.p.Complain("perf records nothing: %v; the runtime's sampler takes the samples", why)
	if !slices.ContainsFunc(c.o.session.Providers, func(p eventpipe.Provider) bool { return p.Name == provider.SampleProfiler }) {
		c.o.session.Providers = append(c.o.session.Providers, eventpipe.Provider{Name: provider.SampleProfiler, Keywords: 0xF00000000000, Level: 4})
	}
	c.o.noThreadTimes = false
	one, err := c.begin(r, name)
	if err != nil {
		return false, err
	}
	complete = one.finish()
	return c.complete(r.a, name) && complete, nil
}

// write writes the file of a recording.
func (c *collecting) write(job *perftrace.Job, name string) bool {
	out, err := output.Create(c.p, &output.Target{Name: name, Force: true})
	if err != nil {
		c.p.Complain("%s: %v", name, err)
		return false
	}
	result, err := job.Write(c.giveUp, out)
	if err != nil {
		out.Discard()
		c.p.Complain("%s: not written: %v", name, err)
		return false
	}
	if err := out.Keep(); err != nil {
		c.p.Complain("%s: %v", name, err)
		return false
	}
	perftrace.Print(c.p, &result, job.Recording)
	return true
}

// collectNative records the processor time of a process without a session.
func collectNative(p *run.Program, o *options) error {
	c := &collecting{p: p, o: o, recorded: make(chan struct{})}
	c.stop, c.cease = context.WithCancelCause(context.Background())
	c.giveUp, c.abort = context.WithCancelCause(context.Background())
	defer c.hearSignals()()
	if o.ownName {
		name := "process"
		if rec, err := perf.Process(o.PID); err == nil && rec.Name != "" {
			name = filepath.Base(rec.Name)
		}
		o.output = fmt.Sprintf("%s_%s.nettrace", name, time.Now().Format("20060102_150405"))
	}
	name := o.output
	if err := o.free(name); err != nil {
		return exit.With(exit.Usage, err)
	}
	s, err := c.startSampling(o.PID, filepath.Dir(name))
	switch {
	case errors.Is(err, os.ErrProcessDone), errors.Is(err, os.ErrNotExist):
		return exit.With(exit.Usage, fmt.Errorf("process %d: no such process", o.PID))
	case errors.Is(err, os.ErrPermission):
		return exit.With(exit.Usage, fmt.Errorf("process %d: %w (run as its user, or as root with CAP_SYS_PTRACE)", o.PID, err))
	case err != nil:
		return exit.With(exit.Usage, err)
	}
	defer s.close()
	p.Complain("process %d (%s): recording into %s (Ctrl-C ends the recording)", o.PID, display.Printable(s.rec.Name), name)
	if o.limit > 0 {
		defer time.AfterFunc(o.limit, func() { c.cease(errTimeOver) }).Stop()
	}
	err = <-s.done
	s.done <- err
	if err := errors.Join(err, s.end()); err != nil {
		return exit.With(exit.Broken, err)
	}
	why := "the process has ended"
	if cause := context.Cause(c.stop); cause != nil {
		why = cause.Error()
	}
	if !c.write(&perftrace.Job{Recording: s.rec, NoUnwind: o.cpu.noUnwind, Folder: filepath.Dir(name)}, name) {
		p.Raise(exit.Broken)
	}
	p.Complain("the recording ended: %s", why)
	return nil
}

// checkPerf prints what perf may record here.
func checkPerf(p *run.Program, o *options) error {
	pid := o.PID
	whose := fmt.Sprintf("process %d", pid)
	if pid == 0 {
		pid, whose = os.Getpid(), "own processes"
	}
	r, err := perf.Start(perf.Options{PID: pid, Rate: o.cpu.rate, StackBytes: stackBytes})
	if err != nil {
		return exit.With(exit.Broken, fmt.Errorf("%s: %w", whose, err))
	}
	defer r.Close()
	scope, counts := r.Scope(), r.Counts()
	text := "user code and the kernel"
	if !scope.Kernel {
		text = "user code; " + scope.Why
	}
	lines := []string{
		fmt.Sprintf("%s: %s, %d samples per second of processor time", whose, text, o.cpu.rate),
		fmt.Sprintf("rings: %s for each processor", display.Bytes(int64(counts.RingBytes))),
	}
	switch {
	case !perf.HasRegisters:
		lines = append(lines, "call chains: as the kernel finds them: the repair knows x86-64 only")
	default:
		lines = append(lines, fmt.Sprintf("call chains: repaired by copies of %d bytes of the stack", stackBytes))
	}
	if names := perf.Kernel(); scope.Kernel && names == nil {
		lines = append(lines, "the kernel: without names: the addresses in /proc/kallsyms are hidden (CAP_SYSLOG shows them)")
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(p.Stdout, line); err != nil {
			return exit.WriteError(err)
		}
	}
	return nil
}
