package collect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/memory"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/record"
)

// collecting is one run of collect: the recordings of a process and of its
// children, and their end.
type collecting struct {
	p *run.Program
	o *options

	stop   context.Context // done: the sessions are to be stopped
	cease  context.CancelCauseFunc
	giveUp context.Context // done: streams are to be closed
	abort  context.CancelCauseFunc

	end        string        // what ended the recording of the first process; "" before
	recorded   chan struct{} // closed when the recording of the first process has ended
	running    atomic.Int32  // recordings that read a stream
	converting atomic.Int32  // recordings that are being converted
	mu         sync.Mutex    // of what the recordings print, and the exit code
}

// collect records a process.
func collect(p *run.Program, o *options) error {
	c := &collecting{p: p, o: o, recorded: make(chan struct{})}
	c.stop, c.cease = context.WithCancelCause(context.Background())
	c.giveUp, c.abort = context.WithCancelCause(context.Background())
	run.IgnoreFileSize()
	release := c.hearSignals()
	defer release()
	for _, text := range o.selected.Warnings {
		p.Complain("warning: %s", text)
	}
	o.Tell = p.Complain
	if o.children {
		o.Others = c.child
	}
	out := p.Stdout
	if o.output == output.Stdout {
		out = p.Stderr
	}
	a, err := o.Attach(c.stop, p.Stdin, out, p.Stderr)
	if err != nil {
		return c.begun(err)
	}
	memory.TrimCode()
	if a.Child != nil {
		defer c.passOn(a.Child.Cmd.Process, a.Child.Ended())()
	}
	complete, err := c.record(a, "")
	close(c.recorded)
	if c.end != "" {
		p.Complain("the recording ended: %s", c.end)
	}
	if err != nil {
		c.cease(err)
		a.Abandon()
		attach.WarnLeft(p, a)
		return c.begun(err)
	}
	if !complete {
		c.mu.Lock()
		p.Raise(exit.Broken)
		c.mu.Unlock()
	}
	c.leave(a)
	if o.stats {
		p.Complain("%s", memory.Usage())
	}
	return nil
}

// begun returns the error of a recording that did not begin: if an interrupt is
// the reason, that it was interrupted.
func (c *collecting) begun(err error) error {
	if errors.Is(context.Cause(c.stop), errInterrupted) {
		return exit.With(exit.Interrupted, errors.New("interrupted before the recording began"))
	}
	return err
}

// hearSignals makes the first signal stop the sessions and the second one close
// their streams. It listens for SIGINT even if the program was started to
// ignore it, as shells do with programs in the background: scripts end the
// recording with kill -INT.
func (c *collecting) hearSignals() (release func()) {
	heard := make(chan os.Signal, 4)
	signal.Notify(heard, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(heard, syscall.SIGHUP)
	}
	c.p.Interrupts.TakeOver()
	go run.EachSignal(heard, c.handleSignal)
	return func() {
		signal.Stop(heard)
		close(heard)
	}
}

// handleSignal handles the nth signal. If something else has stopped the
// sessions, such as --duration, the first signal after that does not abort the
// rest, but the conversion.
func (c *collecting) handleSignal(n int) {
	switch {
	case n > 1, c.converting.Load() > 0 && c.running.Load() == 0:
		c.abort(errAborted)
	case c.stop.Err() == nil:
		c.cease(errInterrupted)
	case c.running.Load() > 0:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.p.Complain("the process sends the rest of the recording; a second signal ends the recording without it")
	}
}

// The reasons for which a recording ends, besides the end of its process.
var (
	errInterrupted = errors.New("interrupted")
	errAborted     = errors.New("interrupted a second time")
	errTimeOver    = errors.New("--duration is over")
	errSizeReached = errors.New("--max-size is reached")
	errEventFound  = errors.New("the event of --stop-on arrived")
	errOutputFull  = errors.New("the output is full")
)

// child records a process that the command has started. A process that starts
// after the recording was stopped is resumed, but not recorded.
func (c *collecting) child(r *eventpipe.Runtime) {
	a := attach.FromRuntime(r)
	complete, err := true, error(nil)
	if c.stop.Err() == nil {
		a.Info, _ = a.Client.ProcessInfo(c.stop)
		complete, err = c.record(a, fmt.Sprint(r.PID))
	}
	if stopped := context.Cause(c.stop); stopped != nil && errors.Is(err, stopped) {
		err = nil
	}
	err = errors.Join(err, a.Resume())
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.p.Complain("%s: %v", a.Title, err)
	}
	if err != nil || !complete {
		c.p.Raise(exit.Broken)
	}
}

// recording is the session of one process.
type recording struct {
	*collecting
	a       *attach.Process
	session *eventpipe.Session
	config  eventpipe.SessionConfig // of session
	rec     *record.Recording
	ring    *record.Ring // or nil
	started time.Time
	stopped atomic.Pointer[record.Stats] // the counts when the session was stopped
	failed  atomic.Pointer[error]        // of StopTracing, or that time is over
	raw     *rawFile                     // of --keep-raw, or nil
	watch   *dumpWatch                   // of a heap dump, or nil
	naming  *naming                      // of --names, or nil
	times   *threadTimes                 // the processor time of threads, or nil
	late    string                       // the note about the first events; "" for none
	early   string                       // the line about the early rundown, or ""
	rules   *ruleWatch                   // of --write-on, or nil
	store   *store                       // of the files of --write-on, or nil
	meters  counters.MetersSession       // of the rules about Meters
	dumping sync.Mutex                   // one file of the ring at a time
	due     func()                       // of --rotate: the next file is to begin; or nil
	unnamed int64                        // frames without a name that were reported
	full    bool                         // the file could not be written, when finish has returned
	read    chan struct{}                // closed when the stream is no longer read
}

// outcome is the result of recording a stream.
type outcome struct {
	record.Report
	err error // why the stream did not come to its end mark, or nil
}

// record records one process to the end of its stream and reports whether the
// recording is complete. It returns an error if there is no recording.
func (c *collecting) record(a *attach.Process, what string) (complete bool, err error) {
	r := &recording{collecting: c, a: a}
	name := c.o.fileName(a, what, time.Now())
	if c.o.ring != "" {
		r.ring = record.NewRing(c.o.kept)
		if err := c.o.free(name); name != output.Stdout && c.o.rules == nil && err != nil {
			return false, exit.With(exit.Usage, err)
		}
		return r.intoRing(name)
	}
	if c.o.dump && a.Info != nil {
		release, err := lockDump(os.TempDir(), a)
		if err != nil {
			return false, exit.With(exit.Usage, err)
		}
		defer release()
	}
	if c.o.dump {
		if err := c.o.fitDump(a); err != nil {
			return false, exit.With(exit.Usage, err)
		}
	}
	if c.o.rotates() {
		return c.rotate(a)
	}
	if c.o.cpu.perf() {
		return c.recordSampled(r, name)
	}
	one, err := c.begin(r, name)
	if err != nil {
		return false, err
	}
	complete = one.finish()
	return c.complete(a, name) && complete, nil
}

// plain is a recording into a file.
type plain struct {
	*recording
	file *traceFile
}

// begin opens the file and the session of a recording. The errors have an exit
// code.
func (c *collecting) begin(r *recording, name string) (*plain, error) {
	if err := c.o.conversion.free(c.o, name); err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	file, err := c.openUntilStopped(name)
	if err != nil {
		return nil, err
	}
	err = r.openRaw(name)
	if err == nil {
		err = r.start()
	}
	if err != nil {
		r.raw.remove()
		file.close()
		return nil, err
	}
	r.printBegun("into " + file.title())
	return &plain{r, file}, nil
}

// openUntilStopped opens the file. Opening a FIFO waits for its reader, until a signal ends it.
func (c *collecting) openUntilStopped(name string) (*traceFile, error) {
	type result struct {
		file *traceFile
		err  error
	}
	opened := make(chan result, 1)
	go func() {
		file, err := openTrace(c.p, c.o, name)
		opened <- result{file, err}
	}()
	late := time.AfterFunc(2*time.Second, func() {
		c.p.Complain("%s is not open yet: a FIFO waits for its reader (Ctrl-C ends that)", name)
	})
	defer late.Stop()
	select {
	case r := <-opened:
		return r.file, r.err
	case <-c.stop.Done():
		return nil, exit.With(exit.Usage, context.Cause(c.stop))
	}
}

// finish records to the end of the stream and reports whether the recording is
// complete.
func (r *plain) finish() bool {
	report := r.run(r.file.File)
	if err := r.file.close(); report.Full == nil {
		report.Full = err
	}
	r.full = errors.Is(report.Full, record.ErrFull)
	if n, known := r.file.events(); r.full && known {
		report.Events = n - report.Added
	}
	complete := r.printResult(report, r.file.title())
	r.printSilent(report, r.file.title())
	r.printNames(report)
	complete = r.printDump() && complete
	return r.closeRaw() && complete
}

// start opens the session and resumes the process.
func (r *recording) start() error {
	cfg := r.a.WithOwners(r.o.session)
	if r.o.selected.Defaults {
		cfg = r.a.WithAsync(cfg)
	}
	r.addMeters(&cfg)
	r.a.Client.Timeouts.Stop, r.read = r.o.drain, make(chan struct{})
	if r.blocks() {
		r.a.Client.Timeouts.Stop = eventpipe.NoTimeout
	}
	err := r.startNames()
	if err != nil {
		return err
	}
	r.session, err = r.a.Client.StartSession(r.stop, cfg)
	if errors.As(err, new(*eventpipe.UnsupportedError)) && r.o.lesser {
		cfg.NoRundown = true
		r.session, err = r.a.Client.StartSession(r.stop, cfg)
	}
	if err != nil {
		r.closeNames()
		return exit.With(attach.SessionExitCode(err), exit.Named(r.a.Title, err))
	}
	r.late = r.a.LateSources(cfg.Providers)
	if r.o.resume {
		if err := attach.ResumeOrWarn(r.p, r.a); err != nil {
			r.closeNames()
			r.session.Close()
			return err
		}
	}
	r.config, r.started = cfg, time.Now()
	if slices.ContainsFunc(cfg.Providers, func(p eventpipe.Provider) bool { return p.Name == counters.MetersProvider }) {
		r.p.Complain("note: %s", attach.MetersRisk)
	}
	r.warnInterval()
	r.startThreadTimes()
	r.warnNames(&cfg)
	return nil
}

// warnNames prints a warning when frames of stacks will have no names.
func (r *recording) warnNames(cfg *eventpipe.SessionConfig) {
	if r.naming == nil && cfg.NoRundown && !cfg.NoStacks && !r.o.selected.NamesMethods() {
		r.p.Complain("warning: without rundown, and with JIT events below level 5, stacks have addresses only (--profile flight records the names of methods that are compiled meanwhile)")
	}
}

// run reads the stream to its end.
func (r *recording) run(to record.Sink) outcome {
	opt := record.Options{OnFull: func(error) { r.cease(errOutputFull) }, OnBadBlock: r.printBadBlock, Schemas: clr.Schemas, Additions: r.additions}
	if r.o.match != nil {
		match := *r.o.match // it keeps the events that it has seen
		opt.OnEvent = func(e *codec.Event) {
			if match.Matches(e) {
				r.cease(errEventFound)
			}
		}
	}
	if r.o.dump {
		r.watch = watchDump(collectionPatience, r.cease)
		match := opt.OnEvent
		opt.OnEvent = func(e *codec.Event) {
			if r.watch.event(e); match != nil {
				match(e)
			}
		}
		opt.OnPoint = r.watch.point
	}
	if r.rules != nil {
		match := opt.OnEvent
		opt.OnEvent = func(e *codec.Event) {
			if r.stop.Err() == nil {
				r.rules.matcher.Event(e)
			}
			if match != nil {
				match(e)
			}
		}
		opt.OnBlock = r.rules.checkSilent
	}
	if r.o.most > 0 {
		silent := opt.OnBlock
		opt.OnBlock = func() {
			if silent != nil {
				silent()
			}
			if r.rec.Stats().Bytes >= r.o.most {
				r.cease(errSizeReached)
			}
		}
	}
	defer r.watchDue(&opt)()
	r.rec = record.New(opt)
	r.running.Add(1)
	defer r.running.Add(-1)
	if r.o.limit > 0 {
		timer := time.AfterFunc(r.o.limit, func() { r.cease(errTimeOver) })
		defer timer.Stop()
	}
	var stopping sync.WaitGroup
	stopping.Add(1)
	release := context.AfterFunc(r.stop, func() {
		defer stopping.Done()
		r.stopSession()
	})
	stay := context.AfterFunc(r.giveUp, func() {
		r.awaitBlocked()
		r.session.Close()
	})
	status := r.showStatus()
	// giveUp closes the session. The complete rows of the last block are kept.
	report, err := r.rec.Run(context.Background(), r.stream(), to)
	if err != nil && r.blocks() {
		_, _ = r.session.Drain(context.Background())
	}
	close(r.read)
	status()
	stay()
	r.session.Close()
	if !release() {
		stopping.Wait()
	}
	r.closeNames()
	r.stopThreadTimes()
	r.noteEnd(report.Ended)
	return outcome{report, err}
}

// stopSession stops the session. From then on --drain bounds the silence of the process,
// also after it has answered.
func (r *recording) stopSession() {
	r.flushAsync()
	stats := r.rec.Stats()
	r.stopped.Store(&stats)
	if r.ring != nil {
		r.ring.Stop()
	}
	defer r.showProgress(stats)()
	if err := r.session.Finish(r.giveUp); err != nil {
		err = r.drained(err)
		r.failed.Store(&err)
		r.session.Close()
	}
}

// flushAsync has the threads write the last records of the async profiler.
func (r *recording) flushAsync() {
	if errors.Is(context.Cause(r.stop), errOutputFull) {
		return
	}
	err := r.a.FlushAsync(r.giveUp, r.config)
	if err == nil {
		return
	}
	select {
	case <-r.read: // the process has ended
	default:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.p.Complain("warning: %s: the last second of the async profiler may be missing: %v", r.a.Title, err)
	}
}

// noteEnd notes what ended the stream.
func (r *recording) noteEnd(complete bool) {
	text := "the process has ended"
	switch why := context.Cause(r.stop); {
	case errors.Is(why, errInterrupted):
		text = "a signal, such as that of Ctrl-C"
	case why != nil:
		text = why.Error()
	case !complete:
		text = "the stream of the process ended early"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end = text
}

// blocks reports whether the process makes a heap dump that waits for its reader. If the reader
// goes away, all threads of the process may stand still for ever.
func (r *recording) blocks() bool { return r.o.dump && r.o.session.BlockWhenFull }

// awaitBlocked waits for the end of a heap dump that waits for its reader.
func (r *recording) awaitBlocked() {
	if !r.blocks() {
		return
	}
	r.mu.Lock()
	r.p.Complain("%s: the recording goes on to the end of the heap dump: the process would stand still for ever (--buffering-mode Block)", r.a.Title)
	r.mu.Unlock()
	select {
	case <-r.watch.over:
	case <-r.read:
	}
}

// drained adds the flag to the error of a session that fell silent after its stop.
func (r *recording) drained(err error) error {
	if u := (*eventpipe.UnreachableError)(nil); errors.As(err, &u) && u.Reason == eventpipe.NotAnswering {
		return fmt.Errorf("it did not end the stream: %s (--drain)", u.Detail)
	}
	return err
}

// leave waits for the command, if there is one, and for the recordings of the
// processes that it started.
func (c *collecting) leave(a *attach.Process) {
	if a.Child == nil {
		a.Release()
		return
	}
	cmd := a.Child.Cmd
	if c.o.kill {
		_ = cmd.Process.Kill()
	}
	_ = a.Child.Wait()
	attach.WarnLeft(c.p, a)
	if c.o.exitCode == "child" && c.p.Code == exit.Done && !c.o.kill {
		c.p.Code = run.ProcessExitCode(cmd.ProcessState)
	}
}

// passOn forwards SIGTERM and SIGHUP to the command until release is called; the terminal sends
// it SIGINT directly. A signal that ends the recording is forwarded after the session has ended:
// from .NET 10 on SIGTERM kills a plain program without a rundown and an end mark.
func (c *collecting) passOn(process *os.Process, ended <-chan struct{}) (release func()) {
	heard := make(chan os.Signal, 4)
	signal.Notify(heard, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(heard, syscall.SIGHUP)
	}
	quit := make(chan struct{})
	go func() {
		select {
		case <-c.recorded:
		case <-quit:
			return
		}
		var last time.Time
		for {
			select {
			case s := <-heard:
				if now := time.Now(); now.Sub(last) >= run.SameSignal {
					last = now
					_ = process.Signal(s)
				}
			case <-ended:
				return
			case <-quit:
				return
			}
		}
	}()
	return func() {
		signal.Stop(heard)
		close(quit)
	}
}
