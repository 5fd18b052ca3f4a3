package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/memory"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/eventpipe/record"
)

// intoRing keeps the last part of the stream in memory, and writes it at each
// SIGUSR1 and at the end.
func (r *recording) intoRing(name string) (complete bool, err error) {
	if err := r.start(); err != nil {
		return false, err
	}
	memory.Limit(r.o.kept.Size)
	dumps := true
	quit := run.HearDump(func() { dumps = r.dump() && dumps }) // SIGUSR1 would end the program
	r.printBegun("into memory; the last part will be written to " + (&traceFile{name: name}).title())
	report := r.run(r.ring)
	quit()
	written := r.writeRing(name, &report.Report)
	return r.printProblems(report, name) && written && dumps, nil
}

// dump writes the content of the ring with the names of methods, and reports
// whether all of it was written. Without --names early they come from the rundown
// of a second session.
func (r *recording) dump() bool {
	snapshot, err := r.ring.Snapshot()
	if err != nil {
		r.p.Complain("%v", err)
		return false
	}
	var names []byte
	if r.naming != nil {
		r.appendNames(snapshot)
	} else if names, err = r.names(); err != nil {
		r.p.Complain("warning: %s: the names of methods are missing: %v", r.a.Title, err)
	}
	now := time.Now()
	name := r.o.fileName(r.a, now.Format("20060102_150405"), now)
	if r.o.ownName {
		name = r.o.fileName(r.a, "", now)
	}
	return r.write(snapshot, name, names)
}

// appendNames appends the names that were read so far.
func (r *recording) appendNames(snapshot *record.Snapshot) {
	r.naming.used = true
	snapshot.Append(r.naming.names.All())
}

// names returns the rundown of a second session.
func (r *recording) names() ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(r.giveUp, r.o.drain, errDrainOver)
	defer cancel()
	return r.a.Names(ctx, r.o.session.BufferMB)
}

// writeRing writes the content of the ring at the end of the recording.
func (r *recording) writeRing(name string, report *record.Report) bool {
	snapshot, err := r.ring.Snapshot()
	if err != nil {
		r.p.Complain("%s: no events came", r.a.Title)
		return false
	}
	if r.needsNames(report) {
		r.appendNames(snapshot)
	}
	return r.write(snapshot, name, nil)
}

// write writes a snapshot to a file and prints its size.
func (r *recording) write(snapshot *record.Snapshot, name string, names []byte) bool {
	file, err := openOutput(r.p, r.o, name)
	if err != nil {
		r.p.Complain("%v", err)
		return false
	}
	var rundown io.Reader
	if names != nil {
		rundown = bytes.NewReader(names)
	}
	part, err := snapshot.WriteFile(file.File, rundown)
	if closed := file.close(); closed != nil {
		err = closed
	}
	r.printPart(file, part)
	if err != nil {
		r.p.Complain("%s: %v", file.title(), err)
	}
	return err == nil || !errors.Is(err, record.ErrFull) && names != nil
}

// printPart prints the size of a snapshot.
func (r *recording) printPart(file *traceFile, part record.Part) {
	text := fmt.Sprintf("%s: the last %v: %s, %s", file.title(), part.Span.Round(time.Millisecond),
		display.Counted(part.Events, "event"), display.Bytes(file.Size()))
	if part.RundownEvents > 0 {
		text += fmt.Sprintf(", with %s of rundown", display.Counted(part.RundownEvents, "event"))
	}
	r.p.Complain("%s", text)
	if part.Unnamed > 0 {
		r.p.Complain("warning: %s of %s in stacks are in no known method: the code was unloaded before, or the rundown is missing",
			display.Grouped(part.Unnamed), display.Counted(part.Frames, "frame"))
	}
}
