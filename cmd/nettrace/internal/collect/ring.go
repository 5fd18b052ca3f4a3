package collect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/memory"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/eventpipe/record"
)

// intoRing keeps the last part of the stream in memory, and writes it at each
// SIGUSR1, when a rule becomes true, and at the end.
func (r *recording) intoRing(name string) (complete bool, err error) {
	if r.o.rules != nil {
		stem, extension := r.storeName()
		if r.store, err = openStore(r.o, stem, extension); err != nil {
			return false, exit.With(exit.Usage, err)
		}
	}
	if err := r.start(); err != nil {
		return false, err
	}
	memory.Limit(r.o.kept.Size)
	dumps := true
	quit := run.HearDump(func() { dumps = r.dump(moment{reason: reasonSignal}) && dumps }) // SIGUSR1 would end the program
	last := moment{reason: reasonEnd}
	if r.store == nil {
		r.printBegun("into memory; the last part will be written to " + (&traceFile{name: name}).title())
	} else {
		r.printBegun("into memory, with a file when a rule becomes true and at the end,")
		r.printAdded()
		r.warnRoom()
		r.rules = r.watchRules()
	}
	report := r.run(r.ring)
	quit()
	if r.rules != nil {
		last.fired = r.rules.end()
		dumps = dumps && r.rules.written && !r.rules.blind
	}
	written := r.writeRing(name, last, &report.Report)
	r.printNames(report)
	return r.printProblems(report, name) && written && dumps, nil
}

// warnRoom prints a warning if a file can be too large for --max-disk.
func (r *recording) warnRoom() {
	if size := r.o.kept.Size; r.o.maxBytes > 0 && size > r.o.maxBytes && r.o.compression == record.Uncompressed {
		r.p.Complain("warning: --ring (%s) is larger than --max-disk (%s): a file that does not fit will not be written", display.Bytes(size), display.Bytes(r.o.maxBytes))
	}
}

// dump writes the content of the ring with the names of methods, and reports
// whether all of it was written. Without a complete early rundown they come from the rundown
// of a second session.
func (r *recording) dump(why moment) bool {
	r.dumping.Lock()
	defer r.dumping.Unlock()
	snapshot, err := r.ring.Snapshot()
	if err != nil {
		r.p.Complain("%v", err)
		return false
	}
	var names []byte
	snapshot.Append(r.gathered(r.namedEarly()))
	if !r.namedEarly() {
		if names, err = r.names(); err != nil {
			r.p.Complain("warning: %s: the names of methods are missing: %v", r.a.Title, err)
		}
	}
	if r.store != nil {
		return r.writeSnapshot(snapshot, why, names)
	}
	return r.write(snapshot, r.stampedName(), names)
}

// stampedName returns the name of a file of the ring that is written now.
func (r *recording) stampedName() string {
	now := time.Now()
	if r.o.ownName {
		return r.o.fileName(r.a, "", now)
	}
	return r.o.fileName(r.a, now.Format("20060102_150405"), now)
}

// names returns the rundown of a second session.
func (r *recording) names() ([]byte, error) {
	return r.a.Names(r.giveUp, r.o.session.BufferMB)
}

// writeRing writes the content of the ring at the end of the recording.
func (r *recording) writeRing(name string, why moment, report *record.Report) bool {
	snapshot, err := r.ring.Snapshot()
	if err != nil {
		r.p.Complain("%s: no events came", r.a.Title)
		return false
	}
	snapshot.Append(r.gathered(r.needsNames(report)))
	if r.store != nil {
		return r.writeSnapshot(snapshot, why, nil)
	}
	return r.write(snapshot, name, nil)
}

// writeSnapshot writes a snapshot and its sidecar to the store.
func (r *recording) writeSnapshot(snapshot *record.Snapshot, why moment, names []byte) bool {
	stored, err := r.store.create(r.stampedName())
	if err != nil {
		r.p.Complain("%v", err)
		return false
	}
	size, part, err := r.writeStored(stored, snapshot, why, names)
	if err != nil {
		stored.discard()
		r.p.Complain("%s: %v", stored.name, storeError(err))
		return false
	}
	r.printPart(stored.name, size, part)
	return true
}

// writeStored writes and commits a file of the store, and returns the size of the
// trace.
func (r *recording) writeStored(stored *storedFile, snapshot *record.Snapshot, why moment, names []byte) (size int64, part record.Part, err error) {
	if err := r.checkRoom(stored.name, snapshot, why, names); err != nil {
		return 0, part, err
	}
	file, err := record.NewStream(stored, r.o.compression)
	if err != nil {
		return 0, part, err
	}
	if part, err = r.writeNamed(snapshot, file, names); err != nil {
		return 0, part, err
	}
	return file.Size(), part, stored.commit(r.newSidecar(stored.name, why, part))
}

// checkRoom returns an error if a snapshot does not fit into --max-disk with its
// sidecar, even alone: no older file may be deleted for it. It compresses the
// snapshot to measure it.
func (r *recording) checkRoom(name string, snapshot *record.Snapshot, why moment, names []byte) error {
	if r.o.maxBytes == 0 {
		return nil
	}
	var size byteCount
	file, err := record.NewStream(&size, r.o.compression)
	if err != nil {
		return err
	}
	part, _ := snapshot.Clone().WriteFile(file, rundownOf(names)) // writeNamed has the same error
	if err := file.Close(); err != nil {
		return err
	}
	content := r.newSidecar(name, why, part)
	data, err := content.json()
	if err != nil {
		return err
	}
	return r.store.fits(int64(size) + int64(len(data)))
}

// byteCount counts the bytes that are written to it.
type byteCount int64

func (n *byteCount) Write(b []byte) (int, error) {
	*n += byteCount(len(b))
	return len(b), nil
}

// writeNamed writes a snapshot with the names of methods. Names that are missing
// are a warning.
func (r *recording) writeNamed(snapshot *record.Snapshot, file *record.File, names []byte) (record.Part, error) {
	part, err := snapshot.WriteFile(file, rundownOf(names))
	if err != nil && names != nil && !errors.Is(err, record.ErrFull) {
		r.p.Complain("warning: %s: the names of methods are incomplete: %v", r.a.Title, err)
		err = nil
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return part, err
}

// write writes a snapshot to a file and prints its size.
func (r *recording) write(snapshot *record.Snapshot, name string, names []byte) bool {
	file, err := openOutput(r.p, r.o, name)
	if err != nil {
		r.p.Complain("%v", err)
		return false
	}
	part, err := r.writeNamed(snapshot, file.File, names)
	if closed := file.close(); err == nil {
		err = closed
	}
	if n, known := file.events(); errors.Is(err, record.ErrFull) && known {
		r.p.Complain("%s: %s, %s", file.title(), display.Counted(n, "event"), display.Bytes(file.Size()))
	} else {
		r.printPart(file.title(), file.Size(), part)
	}
	if err != nil {
		r.p.Complain("%s: %v", file.title(), err)
	}
	return err == nil
}

// rundownOf returns the reader of a rundown, nil for none.
func rundownOf(names []byte) io.Reader {
	if names == nil {
		return nil
	}
	return bytes.NewReader(names)
}

// printPart prints the size of a snapshot.
func (r *recording) printPart(title string, size int64, part record.Part) {
	text := fmt.Sprintf("%s: the last %v: %s, %s", title, part.Span.Round(time.Millisecond),
		display.Counted(part.Events, "event"), display.Bytes(size))
	if part.RundownEvents > 0 {
		text += fmt.Sprintf(", with %s of rundown", display.Counted(part.RundownEvents, "event"))
	}
	r.p.Complain("%s", text)
	if part.Unnamed > r.unnamed { // each file has the stubs of the runtime: only more of them are news
		r.unnamed = part.Unnamed
		r.p.Complain("warning: %s of %s in stacks are in no known method: the code was unloaded before, or the rundown is missing",
			display.Grouped(part.Unnamed), display.Counted(part.Frames, "frame"))
	}
}
