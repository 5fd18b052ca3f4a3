package perftrace

import (
	"fmt"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/perf"
)

// Print prints what was written and what is missing from it.
func Print(p *run.Program, r *Result, rec *perf.Recording) {
	p.Complain("%s", text(r, rec))
	if r.Lost > 0 {
		p.Complain("warning: %s had no room in the rings and are missing", display.CountedUnsigned(r.Lost, "record"))
		p.Raise(exit.Broken)
	}
	if r.DroppedSwitches > 0 {
		p.Complain("warning: %s are missing: only the first %s are kept", display.CountedUnsigned(r.DroppedSwitches, "switch"), display.Grouped(r.Switches))
		p.Raise(exit.Broken)
	}
	if r.Merge.Omitted > 0 {
		p.Complain("warning: %s could not be written", display.Counted(r.Merge.Omitted, "event"))
		p.Raise(exit.Broken)
	}
}

func text(r *Result, rec *perf.Recording) string {
	s := fmt.Sprintf("%s of processor time: %s", display.Counted(r.Samples, "sample"), display.Milliseconds(float64(r.CPU)/1e9))
	if rec.UserOnly {
		s += ", user code only: kernel time is not in it"
	}
	if r.Repaired > 0 {
		s += fmt.Sprintf("; %s repaired", display.Counted(r.Repaired, "call chain"))
	}
	if r.Limited > 0 {
		s += fmt.Sprintf("; %s without the outer end (kernel.perf_event_max_stack bounds them)", display.Counted(r.Limited, "call chain"))
	}
	if n := r.Cut - r.Limited; n > 0 {
		s += fmt.Sprintf("; %s without the outer end, which is beyond the copy of the stack", display.Counted(n, "call chain"))
	}
	if r.Unnamed > 0 {
		s += fmt.Sprintf("; %s of native code have no name, of %s", display.Counted(r.Unnamed, "address"), display.Grouped(r.Named+r.Unnamed))
	}
	return s
}
