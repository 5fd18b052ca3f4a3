package perf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Recorder records the processor time of a process: one event for each thread and processor,
// which the threads that they start inherit, and one ring for each processor.
//
// Call Start, Run in a goroutine, and Close after Run.
type Recorder struct {
	opt     Options
	scope   Scope
	pages   int // of each ring
	rings   []*ring
	fds     []int
	threads map[int][]uint64 // by thread that was opened: when, by processor
	forks   map[int]fork     // threads that opened threads started
	sort    sorter

	mu     sync.Mutex
	counts Counts
}

// fork is when a thread started another one.
type fork struct {
	parent int
	time   uint64
}

// Start begins to record a process. Its error is a *PermissionError if the system forbids
// it, os.ErrProcessDone if there is no such process.
func Start(opt Options) (*Recorder, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	r := &Recorder{opt: opt, threads: map[int][]uint64{}, forks: map[int]fork{}, scope: Scope{Kernel: !opt.UserOnly}}
	for pages := defaultPages; ; pages /= 2 {
		r.pages = pages
		err := r.open()
		if err == nil {
			return r, nil
		}
		r.Close()
		if !errors.Is(err, errRingMemory) || pages == 1 {
			return nil, err
		}
		r.threads, r.forks, r.sort, r.counts = map[int][]uint64{}, map[int]fork{}, sorter{}, Counts{}
	}
}

// errRingMemory means that the rings of all processors together are too large.
var errRingMemory = errors.New("no memory for the ring of each processor may be locked: raise kernel.perf_event_mlock_kb or RLIMIT_MEMLOCK")

// Scope returns what is recorded.
func (r *Recorder) Scope() Scope { return r.scope }

// Counts returns what has been recorded so far.
func (r *Recorder) Counts() Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts
}

// attr are the attributes of the events.
func (r *Recorder) attr() *unix.PerfEventAttr {
	a := &unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK, Size: unix.PERF_ATTR_SIZE_VER5,
		Sample: uint64(r.opt.Rate),
		Sample_type: unix.PERF_SAMPLE_IDENTIFIER | unix.PERF_SAMPLE_IP | unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_TIME |
			unix.PERF_SAMPLE_CPU | unix.PERF_SAMPLE_PERIOD | unix.PERF_SAMPLE_CALLCHAIN,
		Bits: unix.PerfBitInherit | unix.PerfBitExcludeHv | unix.PerfBitExcludeIdle | unix.PerfBitMmap | unix.PerfBitMmap2 | unix.PerfBitComm |
			unix.PerfBitCommExec | unix.PerfBitFreq | unix.PerfBitTask | unix.PerfBitWatermark | unix.PerfBitSampleIDAll | unix.PerfBitUseClockID,
		Clockid: unix.CLOCK_MONOTONIC,
	}
	const buildID = 1 << 34 // since Linux 5.12
	if !old.Load() {
		a.Bits |= buildID
	}
	if !r.scope.Kernel {
		a.Bits |= unix.PerfBitExcludeKernel
	}
	if !r.opt.NoSwitches {
		a.Bits |= unix.PerfBitContextSwitch
	}
	if r.opt.StackBytes > 0 {
		a.Sample_type |= unix.PERF_SAMPLE_REGS_USER | unix.PERF_SAMPLE_STACK_USER
		a.Sample_regs_user, a.Sample_stack_user = registerMask, uint32(r.opt.StackBytes)
	}
	return a
}

// old is set by the first event that a kernel before 5.12 refuses.
var old atomic.Bool

// open opens the events of all threads. Threads that start meanwhile are inherited by those
// that are open, and found by the next list otherwise.
func (r *Recorder) open() error {
	unlimited()
	processors := onlineProcessors()
	for pass := 0; pass < 20; pass++ {
		list, err := threadsOf(r.opt.PID)
		if err != nil {
			return err
		}
		fresh := 0
		for _, thread := range list {
			if r.threads[thread] != nil {
				continue
			}
			from := uint64(0)
			if f, started := r.forks[thread]; started {
				from = f.time
			}
			if err := r.openThread(thread, processors, r.forks[thread].parent, from); err != nil {
				return err
			}
			fresh++
		}
		if fresh == 0 {
			break
		}
		r.drain()
	}
	r.counts.Threads, r.counts.Descriptors = len(r.threads), len(r.fds)
	if len(r.fds) == 0 {
		return os.ErrProcessDone
	}
	return nil
}

// openThread opens the events of a thread. Those that it inherited from its parent, because
// they were open when it started, are not opened again.
func (r *Recorder) openThread(thread int, processors []int, parent int, started uint64) error {
	at := make([]uint64, len(processors))
	r.threads[thread] = at
	for i, cpu := range processors {
		if open := r.threads[parent]; started > 0 && open != nil && open[i] > 0 && open[i] < started {
			at[i] = started
			continue
		}
		fd, err := r.openEvent(thread, cpu)
		switch {
		case errors.Is(err, unix.ESRCH): // it has ended
			return nil
		case errors.Is(err, unix.ENODEV): // the processor was switched off
			continue
		case err != nil:
			return r.explain(err)
		}
		at[i] = now()
		r.fds = append(r.fds, fd)
		if err := r.connect(fd, cpu); err != nil {
			return err
		}
	}
	return nil
}

// openEvent opens an event, with less where the system does not permit more.
func (r *Recorder) openEvent(thread, cpu int) (int, error) {
	for {
		fd, err := unix.PerfEventOpen(r.attr(), thread, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
		switch {
		case err == nil:
			return fd, nil
		case errors.Is(err, unix.EINVAL) && !old.Load():
			old.Store(true)
		case (errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM)) && r.scope.Kernel && len(r.fds) == 0:
			r.scope = Scope{Why: "kernel time is not in it: kernel.perf_event_paranoid is " + paranoid() + " (CAP_PERFMON or a value of at most 1 permits it)"}
		default:
			return -1, err
		}
	}
}

// connect gives an event the ring of its processor.
func (r *Recorder) connect(fd, cpu int) error {
	for _, have := range r.rings {
		if have.cpu == cpu {
			return unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_SET_OUTPUT, have.fd)
		}
	}
	one, err := mapRing(fd, cpu, r.pages)
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOMEM):
		return &PermissionError{errRingMemory.Error(), errRingMemory}
	case err != nil:
		return fmt.Errorf("perf: ring of processor %d: %w", cpu, err)
	}
	r.rings = append(r.rings, one)
	r.counts.RingBytes = len(one.data)
	return nil
}

// explain returns the reason why events cannot be opened.
func (r *Recorder) explain(err error) error {
	reason := "perf_event_open: " + err.Error()
	switch {
	case errors.Is(err, unix.ENOSYS):
		reason = "the system call perf_event_open is missing or refused by seccomp"
	case errors.Is(err, unix.EACCES):
		reason = "kernel.perf_event_paranoid is " + paranoid() + ", or the process belongs to another user (CAP_PERFMON permits it)"
	case errors.Is(err, unix.EPERM):
		reason = "refused, as by the seccomp filter of a container (CAP_PERFMON, or a profile that permits perf_event_open), or the process belongs to another user"
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		reason = fmt.Sprintf("the limit of open files is too low: a process of %d threads needs one for each thread and processor", len(r.threads))
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EOPNOTSUPP):
		reason = "this kernel has no event cpu-clock"
	}
	return &PermissionError{reason, err}
}

// Run reads the records and passes them to a function, those of all processors in the order of
// their times, until the context is done or the process has ended. The bytes are valid until the function returns; a
// Decoder decodes them. It returns the error of the function.
func (r *Recorder) Run(ctx context.Context, take func([]byte) error) error {
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return err
	}
	defer unix.Close(wake)
	done := make(chan struct{})
	release := context.AfterFunc(ctx, func() {
		defer close(done)
		_, _ = unix.Write(wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	})
	defer func() {
		if !release() {
			<-done
		}
	}()
	waits := []unix.PollFd{{Fd: int32(wake), Events: unix.POLLIN}}
	for _, one := range r.rings {
		waits = append(waits, unix.PollFd{Fd: int32(one.fd), Events: unix.POLLIN})
	}
	for {
		const patience = 100 // milliseconds: records below the watermark are read too
		_, err := unix.Poll(waits, patience)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		for i := range waits { // of a thread that has ended, whose ring the others write
			if waits[i].Revents&(unix.POLLHUP|unix.POLLERR) != 0 {
				waits[i].Fd = -1
			}
		}
		over := ctx.Err() != nil || r.hasEnded()
		if over {
			for _, fd := range r.fds {
				_ = unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_DISABLE, 0)
			}
		}
		r.drain()
		if err := r.sort.release(over, take); err != nil {
			return err
		}
		if over {
			return nil
		}
	}
}

// hasEnded reports whether the process has ended.
func (r *Recorder) hasEnded() bool {
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", r.opt.PID))
	if err != nil {
		return true
	}
	at := bytes.LastIndexByte(state, ')') // after the name
	return at >= 0 && at+2 < len(state) && (state[at+2] == 'Z' || state[at+2] == 'X')
}

// drain reads all rings.
func (r *Recorder) drain() {
	r.sort.begin(now())
	var d decoder
	for _, one := range r.rings {
		one.read(func(b []byte) {
			r.mu.Lock()
			defer r.mu.Unlock()
			switch recordKind(b) {
			case recordSample:
				r.counts.Samples++
			case recordSwitch:
				r.counts.Switches++
			case recordFork, recordLost, recordLostSamples, recordThrottle:
				record, _ := d.decode(b)
				switch record.Kind {
				case Lost:
					r.counts.Lost += record.Count
				case Throttled:
					r.counts.Throttles++
				case Started:
					r.forks[int(record.TID)] = fork{int(record.Parent), record.Time}
				}
			}
			r.sort.add(b)
		})
	}
}

// Close closes the events. Run must have returned.
func (r *Recorder) Close() {
	for _, one := range r.rings {
		_ = unix.Munmap(one.memory)
	}
	for _, fd := range r.fds {
		unix.Close(fd)
	}
	r.rings, r.fds = nil, nil
}

// threadsOf lists the threads of a process.
func threadsOf(pid int) ([]int, error) {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return nil, os.ErrProcessDone
	}
	var list []int
	for _, e := range entries {
		if id, err := strconv.Atoi(e.Name()); err == nil {
			list = append(list, id)
		}
	}
	return list, nil
}

// onlineProcessors lists the processors on which threads can run.
func onlineProcessors() []int {
	text, _ := os.ReadFile("/sys/devices/system/cpu/online")
	list := parseProcessors(string(text))
	if list == nil {
		for i := range runtime.NumCPU() {
			list = append(list, i)
		}
	}
	return list
}

// unlimited raises the limit of open files to the highest that is permitted.
func unlimited() {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) == nil && l.Cur < l.Max {
		l.Cur = l.Max
		_ = unix.Setrlimit(unix.RLIMIT_NOFILE, &l)
	}
}

// paranoid is the value of kernel.perf_event_paranoid.
func paranoid() string {
	text, err := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	if err != nil {
		return "unknown"
	}
	return string(text[:max(0, len(text)-1)])
}

// now is the time of CLOCK_MONOTONIC, in nanoseconds.
func now() uint64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return uint64(t.Sec)*uint64(time.Second) + uint64(t.Nsec)
}
