package gen_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/check"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// user writes the events of a random trace with a Writer and makes mistakes.
type user struct {
	t        *testing.T
	dice     *rand.Rand
	w        *codec.Writer
	format   wire.Format
	out      bytes.Buffer
	metadata map[*codec.Metadata]uint32
	threads  map[uint64]uint64
	payloads []string // of accepted events
	refused  map[error]int
}

// reasons are all errors of an open Writer whose destination does not fail.
var reasons = []error{codec.ErrUndefined, codec.ErrOrder, codec.ErrSequence, codec.ErrPayload, codec.ErrNotExpressible, codec.ErrLimit}

// did checks the result of a call: nil, or a refusal with a reason.
func (u *user) did(call string, err error) bool {
	if err == nil {
		return true
	}
	known := false
	for _, reason := range reasons {
		if errors.Is(err, reason) {
			known = true
			u.refused[reason]++
		}
	}
	if !known {
		u.t.Errorf("%s: refused without a reason: %v", call, err)
	}
	if err := u.w.Err(); err != nil {
		u.t.Fatalf("%s: the Writer does not go on: %v", call, err)
	}
	return false
}

// one returns true once in n times.
func (u *user) one(n int) bool { return u.dice.IntN(n) == 0 }

func (u *user) text(s string) string {
	if u.one(40) {
		return s + "\xff"
	}
	return s
}

func (u *user) define(m *codec.Metadata) uint32 {
	if id, ok := u.metadata[m]; ok {
		return id
	}
	row := *m
	row.Name = u.text(row.Name)
	if u.one(40) {
		row.Fields = append([]codec.Field{{Name: "wrong", Type: codec.Type{Code: wire.TypeCode(u.dice.IntN(30))}}}, row.Fields...)
	}
	id, err := u.w.DefineMetadata(&row)
	if u.did("DefineMetadata", err) {
		u.metadata[m] = id
	}
	return id
}

func (u *user) thread(id uint64, row *codec.Thread) uint64 {
	if u.format != wire.V6 {
		return id
	}
	if index, ok := u.threads[id]; ok {
		return index
	}
	t := codec.Thread{ThreadID: id, HasThreadID: true}
	if row != nil {
		t = *row
	}
	t.Name = u.text(t.Name)
	index, err := u.w.AddThread(&t)
	if u.did("AddThread", err) {
		u.threads[id] = index
	}
	return index
}

// event writes an event, usually unchanged.
func (u *user) event(e *codec.Event) {
	m := e.Metadata()
	if m == nil {
		return
	}
	rec := codec.Record{
		MetadataID: u.define(m), Timestamp: e.Timestamp, Processor: e.Processor, Stack: e.Stack(), Payload: e.Payload(),
		Thread: u.thread(e.ThreadIndex, e.Thread()), CaptureThread: u.thread(e.CaptureThreadIndex, e.CaptureThread()), Sorted: u.one(10),
	}
	if rec.Labels = e.Labels(); u.format != wire.V6 {
		rec.Activity, rec.Related = e.Activity(), e.RelatedActivity()
	}
	if u.one(3) {
		rec.Sequence = e.Sequence
	}
	u.mistake(&rec)
	if u.did("Write", u.w.Write(&rec)) {
		u.payloads = append(u.payloads, string(rec.Payload))
	}
	switch {
	case u.one(20):
		u.did("SequencePoint", u.w.SequencePoint(rec.Timestamp+uint64(u.dice.IntN(3))))
	case u.one(20):
		u.did("Drop", u.w.Drop(rec.CaptureThread, u.dice.Uint32()>>u.dice.IntN(32)))
	case u.one(60):
		u.did("Drop", u.w.Drop(rec.CaptureThread, math.MaxUint32))
	case u.one(20):
		if u.did("RemoveThread", u.w.RemoveThread(rec.Thread)) {
			u.forget(rec.Thread)
		}
	case u.one(20):
		u.did("Flush", u.w.Flush())
	}
}

// forget assigns most later events of a removed thread to a new one.
func (u *user) forget(index uint64) {
	for id, known := range u.threads {
		if known == index && !u.one(4) {
			delete(u.threads, id)
		}
	}
}

// mistake changes something that a program can get wrong.
func (u *user) mistake(rec *codec.Record) {
	switch u.dice.IntN(30) {
	case 0:
		rec.Timestamp -= min(rec.Timestamp, uint64(u.dice.IntN(1000)))
	case 1:
		rec.Timestamp += uint64(u.dice.IntN(1000))
	case 2:
		rec.Sequence = u.dice.Uint32() >> u.dice.IntN(32)
	case 3:
		rec.MetadataID = uint32(u.dice.IntN(50))
	case 4:
		rec.Thread = uint64(u.dice.IntN(50))
	case 5:
		rec.CaptureThread = uint64(u.dice.IntN(50))
	case 6:
		rec.Payload = append(bytes.Clone(rec.Payload), 1)
	case 7:
		rec.Payload = rec.Payload[:u.dice.IntN(len(rec.Payload)+1)]
	case 8:
		rec.Labels = []codec.Label{{Kind: wire.LabelKind(u.dice.IntN(14)), Key: u.text("k"), Number: uint64(u.dice.IntN(300))}}
	case 9:
		rec.Stack = []uint64{1 << 40, 2}
	}
}

// TestWriterRandom writes random traces with mistakes: each refusal of the Writer
// has a reason, and the checker finds no error in the written trace.
func TestWriterRandom(t *testing.T) {
	seeds := int64(2000)
	if !tier.Check {
		seeds = 600
	}
	refused, accepted := map[error]int{}, 0
	for seed := range seeds {
		u := writeRandom(t, seed)
		accepted += len(u.payloads)
		for reason, n := range u.refused {
			refused[reason] += n
		}
	}
	t.Logf("%d events accepted; refused %v", accepted, refused)
	for _, reason := range reasons {
		t.Run(fmt.Sprint(reason), func(t *testing.T) {
			if refused[reason] == 0 {
				t.Errorf("nothing was refused because of %q", reason)
			}
		})
	}
}

func writeRandom(t *testing.T, seed int64) *user {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}()
	source := gen.Random(seed)
	r := codec.NewBytesReader(source.Bytes(), codec.Options{})
	head, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	u := &user{
		t: t, dice: rand.New(rand.NewPCG(uint64(seed), 2)), format: source.Format,
		metadata: map[*codec.Metadata]uint32{}, threads: map[uint64]uint64{}, refused: map[error]int{},
	}
	opt := codec.WriterOptions{
		Format: source.Format, Trace: *head, Uncompressed: u.one(3), Ordered: u.one(5), MixedThreads: u.one(3), BlockBytes: 1 + u.dice.IntN(4000),
	}
	if u.one(3) {
		opt.PointEvents = int64(1 + u.dice.IntN(20))
	}
	u.w = codec.NewWriter(&u.out, opt)
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		u.event(e)
	}
	if err := u.w.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	u.verify()
	return u
}

// verify reads the written trace.
func (u *user) verify() {
	i := 0
	for e, err := range codec.NewBytesReader(u.out.Bytes(), codec.Options{Strict: true}).Events() {
		if err != nil {
			u.t.Fatalf("reading event %d: %v", i, err)
		}
		if i >= len(u.payloads) || string(e.Payload()) != u.payloads[i] {
			u.t.Fatalf("event %d is not the one that was accepted", i)
		}
		i++
	}
	if i != len(u.payloads) {
		u.t.Errorf("read %d events, %d accepted", i, len(u.payloads))
	}
	report, err := check.Stream(bytes.NewReader(u.out.Bytes()), check.Options{Now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		u.t.Fatal(err)
	}
	for _, f := range report.Findings {
		if f.Severity == rule.Error {
			u.t.Errorf("checker: %v in %v: %s", f.Rule, f.Block, f.Actual)
		}
	}
}
