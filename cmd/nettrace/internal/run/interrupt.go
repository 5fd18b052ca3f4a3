package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Interrupts ends the program at the first SIGINT, SIGTERM or SIGHUP: it removes
// the files that are being written, prints one message and exits with 128 plus
// the signal's number. A command for which a signal is the normal end takes the
// signals over. A nil interrupts does nothing.
type Interrupts struct {
	heard  chan os.Signal
	stderr io.Writer
	exit   func(code int)

	mu        sync.Mutex // held while the program exits
	temporary map[string]bool
}

// endSignals are the signals that ask a program to end.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// heededSignals returns the end signals, except those that the program was
// started to ignore, as nohup and shells with background jobs do.
func heededSignals() []os.Signal {
	var list []os.Signal
	for _, s := range endSignals {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
}

// HearInterrupts starts to listen for signals.
func HearInterrupts(stderr io.Writer, exit func(code int)) *Interrupts {
	i := &Interrupts{heard: make(chan os.Signal, 1), stderr: stderr, exit: exit, temporary: map[string]bool{}}
	if list := heededSignals(); len(list) > 0 {
		signal.Notify(i.heard, list...)
	}
	go func() {
		for s := range i.heard {
			i.end(s)
		}
	}()
	return i
}

// TakeBack listens again, after a command that took the signals over has ended.
func (i *Interrupts) TakeBack() {
	if i == nil {
		return
	}
	if list := heededSignals(); len(list) > 0 {
		signal.Notify(i.heard, list...)
	}
}

// end removes temporary files and exits.
func (i *Interrupts) end(s os.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for path := range i.temporary {
		os.Remove(path)
	}
	fmt.Fprintln(i.stderr, "nettrace: interrupted")
	number, _ := s.(syscall.Signal)
	i.exit(128 + int(number))
}

// TakeOver leaves the signals to the command.
func (i *Interrupts) TakeOver() {
	if i != nil {
		signal.Stop(i.heard)
	}
}

// Create runs f, which makes a file, and notes the file to be removed when the
// program is interrupted.
func (i *Interrupts) Create(path string, f func() error) error {
	if i == nil {
		return f()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	err := f()
	if err == nil {
		i.temporary[path] = true
	}
	return err
}

// Settle runs f, which renames or removes files, and forgets the files. The
// program is not interrupted meanwhile.
func (i *Interrupts) Settle(f func() error, paths ...string) error {
	if i == nil {
		return f()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, path := range paths {
		delete(i.temporary, path)
	}
	return f()
}

// SameSignal is how soon after a signal another one counts as the same: timeout(1)
// signals its child and then its process group, and so the child twice.
const SameSignal = 500 * time.Millisecond

// EachSignal calls f with 1, 2 and so on for the signals that come, without those that
// count as the same as the one before.
func EachSignal(heard <-chan os.Signal, f func(n int)) {
	n, last := 0, time.Time{}
	for range heard {
		if now := time.Now(); n == 0 || now.Sub(last) >= SameSignal {
			n, last = n+1, now
			f(n)
		}
	}
}

// UntilSignal returns a context for a command that a signal ends normally: the
// first signal cancels it, and one that comes later than SameSignal kills the
// program. It listens for SIGINT even if the program was started to ignore it, as
// shells do with programs in the background: scripts end it with kill -INT.
func (p *Program) UntilSignal() (ctx context.Context, stop context.CancelFunc) {
	list := heededSignals()
	if !slices.Contains(list, os.Interrupt) {
		list = append(list, os.Interrupt)
	}
	return p.until(list)
}

// UntilSignalOrReload is UntilSignal for a command that runs as a service: SIGHUP
// does not end it but calls reload, which must not block.
func (p *Program) UntilSignalOrReload(reload func()) (ctx context.Context, stop context.CancelFunc) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	go func() {
		for range heard {
			reload()
		}
	}()
	ctx, cancel := p.until(slices.DeleteFunc(heededSignals(), func(s os.Signal) bool { return s == syscall.SIGHUP }))
	return ctx, func() {
		cancel()
		signal.Stop(heard)
		close(heard)
	}
}

// until is UntilSignal with a list of signals.
func (p *Program) until(list []os.Signal) (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = context.WithCancel(context.Background())
	heard := make(chan os.Signal, 1)
	if len(list) > 0 {
		signal.Notify(heard, list...)
	}
	p.Interrupts.TakeOver()
	go func() {
		defer signal.Stop(heard)
		select {
		case <-heard:
			stop()
			time.Sleep(SameSignal)
		case <-ctx.Done():
		}
	}()
	return ctx, stop
}
