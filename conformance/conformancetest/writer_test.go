package conformancetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/rows"
	"github.com/nettrace-go/nettrace/conformance/runner"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

func TestCodecReader(t *testing.T) { Reader(t, adapter.Codec) }

func TestCodecWriter(t *testing.T) {
	if shared.Race {
		t.Skip("the race detector finds nothing in a writer without goroutines; make test runs it")
	}
	Writer(t, rows.Write)
}

// largeTrace is the size in bytes above which a trace is not written by each faulty writer.
const largeTrace = 32 << 10

// failing counts the cases that a writer does not pass.
func failing(t *testing.T, write Write) (failed, judged int) {
	t.Helper()
	for _, c := range cases.All() {
		if !runner.Writable(&c) || c.Block() == "type" || len(c.Trace) > largeTrace { // many, and all alike; or slow
			continue
		}
		err := judge(&c, write)
		if errors.Is(err, rows.ErrUnsupported) {
			continue
		}
		if judged++; err != nil {
			failed++
		}
	}
	return failed, judged
}

// changing is codec.Writer with lines that were changed before.
func changing(change func(*rows.Line)) Write {
	return func(w io.Writer, lines []rows.Line) error {
		for i := range lines {
			change(&lines[i])
		}
		return rows.Write(w, lines)
	}
}

// TestFaultyWriters: writers that get one thing wrong do not pass.
func TestFaultyWriters(t *testing.T) {
	tier.NeedsCheck(t) // each writer writes hundreds of cases
	onEvent := func(change func(*codec.Record)) Write {
		return changing(func(l *rows.Line) {
			if l.Event != nil {
				change(l.Event)
			}
		})
	}
	for name, write := range map[string]Write{
		"time":      onEvent(func(r *codec.Record) { r.Timestamp++ }),
		"payload":   onEvent(func(r *codec.Record) { r.Payload = append(r.Payload, 0) }),
		"stack":     onEvent(func(r *codec.Record) { r.Stack = r.Stack[:len(r.Stack)/2] }),
		"processor": onEvent(func(r *codec.Record) { r.Processor = wire.UnknownProcessor }),
		"labels":    onEvent(func(r *codec.Record) { r.Labels = nil }),
		"numbers":   onEvent(func(r *codec.Record) { r.Sequence = 0 }),
		"level": changing(func(l *rows.Line) {
			if l.Metadata != nil {
				l.Metadata.Level ^= 1
			}
		}),
		"fields": changing(func(l *rows.Line) {
			if l.Metadata != nil {
				l.Metadata.Fields = nil
			}
		}),
		"thread": changing(func(l *rows.Line) {
			if l.Thread != nil {
				l.Thread.ThreadID++
			}
		}),
		"clock": changing(func(l *rows.Line) {
			if l.Trace != nil {
				l.Trace.TickFrequency *= 2
			}
		}),
		"points":  changing(func(l *rows.Line) { l.Point = nil }),
		"nothing": func(io.Writer, []rows.Line) error { return nil },
		"cut": func(w io.Writer, lines []rows.Line) error {
			var b bytes.Buffer
			err := rows.Write(&b, lines)
			if b.Len() > 0 {
				_, _ = w.Write(b.Bytes()[:b.Len()-1])
			}
			return err
		},
		"min timestamp": func(w io.Writer, lines []rows.Line) error {
			var b bytes.Buffer
			err := rows.Write(&b, lines)
			trace := b.Bytes()
			if at := bytes.Index(trace, []byte("\x14\x00\x01\x00")); at >= 0 {
				trace[at+11] = 0x7F // its highest byte: the events are before it
			}
			_, _ = w.Write(trace)
			return err
		},
		"an error":         func(io.Writer, []rows.Line) error { return errors.New("full") },
		"unsupported, but": func(w io.Writer, _ []rows.Line) error { fmt.Fprint(w, "x"); return rows.ErrUnsupported },
	} {
		t.Run(name, func(t *testing.T) {
			failed, judged := failing(t, write)
			if failed == 0 {
				t.Errorf("none of %d cases notices", judged)
			}
		})
	}
	if failed, judged := failing(t, rows.Write); failed > 0 || judged < 100 {
		t.Errorf("the writer without faults fails %d of %d cases", failed, judged)
	}
}
