package collect

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe/record"
)

// printResult prints the size of a recording, and reports whether the recording
// is complete.
func (r *recording) printResult(report outcome, name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	what := fmt.Sprintf("%s: %s, %s", name, display.Counted(report.Events+report.Added, "event"), display.Bytes(report.Bytes-report.Dropped))
	if report.Bytes == report.Dropped {
		what = name + ": nothing was written"
	}
	if stopped := r.stopped.Load(); stopped != nil && !r.o.session.NoRundown {
		what += fmt.Sprintf(", of which %s came after the stop", display.Bytes(report.Bytes-stopped.Bytes))
	}
	r.p.Complain("%s", what)
	return r.printProblems(report, name)
}

// printSilent prints which of the providers of the command line sent no event, as one does
// whose name is misspelt. Those of profiles are left out: not every process has them.
func (r *recording) printSilent(report outcome, name string) {
	if text := attach.NoEvents(r.o.asked, report.Providers, report.Complete(), r.o.session.Providers); text != "" && report.Bytes > report.Dropped {
		r.p.Complain("%s: note: %s", name, text)
	}
}

// lossReason returns why the process lost events. A session that sent much less than its buffer
// holds did not fill it.
func lossReason(sent int64, bufferMB int) string {
	if sent < int64(bufferMB)<<20/8 {
		return "the buffer was not full, so that they were probably larger than 64 kB, which the runtime does not record"
	}
	return "its buffer was full (--buffersize)"
}

// printProblems prints the reasons why a recording is not complete, and reports
// whether it is.
func (r *recording) printProblems(report outcome, name string) bool {
	p := r.p
	switch {
	case report.Lost > 0 && report.BadBlocks > 0:
		p.Complain("warning: %s missing: in bad blocks, or lost in the process: %s", display.CountedUnsigned(report.Lost, "event"), lossReason(report.Bytes, r.o.session.BufferMB))
	case report.Lost > 0:
		p.Complain("warning: %s lost in the process: %s", display.CountedUnsigned(report.Lost, "event"), lossReason(report.Bytes, r.o.session.BufferMB))
	}
	if report.BadBlocks > 0 {
		p.Complain("%s: %s: recorded unchanged, but readers cannot read them", r.a.Title, display.Counted(int64(report.BadBlocks), "bad block"))
	}
	if report.Complete() {
		return report.BadBlocks == 0
	}
	for _, why := range r.reasons(report) {
		p.Complain("%s: %s", r.a.Title, why)
	}
	if report.Dropped > 0 && r.ring == nil {
		text := fmt.Sprintf("%s: %s of the stream left out", name, display.Counted(report.Dropped, "byte"))
		if report.RecoveredRows > 0 {
			text += fmt.Sprintf("; %s of the truncated block kept", display.Counted(int64(report.RecoveredRows), "row"))
		}
		p.Complain("%s", text)
	}
	return false
}

// reasons returns the reasons why a recording is not complete.
func (r *recording) reasons(report outcome) (list []string) {
	switch {
	case errors.Is(report.Full, syscall.EPIPE) && r.o.output == output.Stdout:
		list = append(list, "the reader of standard output closed it before the end: "+record.ErrFull.Error())
	case report.Full != nil:
		list = append(list, exit.Text(report.Full))
	}
	if report.Ended {
		return list
	}
	failed := r.failed.Load()
	switch {
	case failed != nil:
		list = append(list, exit.Text(*failed)+"; the rest is not recorded")
	case r.giveUp.Err() != nil:
		list = append(list, errAborted.Error()+"; the rest is not recorded")
	case report.Bytes == 0 && r.stopped.Load() != nil:
		list = append(list, "no event was recorded: the runtime is suspended at its start and sends no events before it is resumed")
	case report.err == nil || errors.Is(report.err, io.EOF) || errors.Is(report.err, syscall.ECONNRESET):
		list = append(list, r.death())
	case errors.Is(report.err, net.ErrClosed):
		list = append(list, "the stream was closed")
	case errors.As(report.err, new(*codec.Error)):
		text := "the stream is malformed: " + input.ErrorText(report.err) + "; the session was ended at that point"
		if r.raw == nil {
			text += " (--keep-raw saves what the process sends)"
		}
		list = append(list, text)
	default:
		list = append(list, input.ErrorText(report.err))
	}
	return list
}

// printBadBlock prints the first bad block when it is read.
func (r *recording) printBadBlock(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.p.Complain("%s: %s; the recording goes on", r.a.Title, input.ErrorText(err))
}
