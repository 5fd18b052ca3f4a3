package values_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// dynamic is the other reader's parser for events that the trace describes.
const dynamic = "DynamicTraceEventData"

// answer is one event of the other reader, and the event of codec.
type answer struct {
	key     answerKey
	parser  string
	fields  object
	payload string // hex, "" when it is long or empty

	event  *codec.Event // the event of codec, or nil
	ours   object
	broken string // rule that the payload breaks, by us
}

// answerKey identifies an event, in the widths of the other reader.
type answerKey struct {
	ticks    uint64
	thread   uint32
	provider string
	id       uint16
	version  uint8
}

// answered lists the traces for which there are answers.
func answered(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(shared.Dir(t), "oracle", "*.values.ndjson.zst"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".values.ndjson.zst"))
	}
	return names
}

// TestAnswered: only the listed traces have no answer: the other reader gives
// none for a trace that is malformed in the middle.
func TestAnswered(t *testing.T) {
	if shared.Race {
		t.Skip("the race detector leaves out large traces; make test compares all")
	}
	got := answered(t)
	var want []string
	for _, name := range shared.Traces(t) {
		if name != "onecollect-overflow.v6" {
			want = append(want, name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("answers for %q, want %q", got, want)
	}
}

// answers reads the other reader's values of a trace and finds the event of codec
// for each wanted line.
func answers(t *testing.T, trace string, opt codec.Options, wanted func(*answer) bool) []*answer {
	t.Helper()
	var list []*answer
	open := map[answerKey][]*answer{}
	for _, line := range parseLines(t, shared.Oracle(t, trace+".values.ndjson.zst")) {
		if a := newAnswer(t, line); wanted(a) {
			list = append(list, a)
			open[a.key] = append(open[a.key], a)
		}
	}
	eachEvent(t, trace, opt, func(e *codec.Event) {
		for _, a := range open[keyOf(e)] {
			a.take(t, e)
		}
	})
	return list
}

func newAnswer(t *testing.T, line object) *answer {
	t.Helper()
	ticks, err := strconv.ParseUint(line.text("ticks"), 10, 64)
	if err != nil || line.text("error") != "" {
		t.Fatalf("%v in %v", err, line)
	}
	fields, _ := line.get("fields")
	a := &answer{parser: line.text("parser"), payload: line.text("payload")}
	a.key = answerKey{
		ticks, uint32(line.number("thread")), line.text("provider"),
		uint16(line.number("id")), uint8(line.number("version")),
	}
	a.fields, _ = fields.(object)
	return a
}

func keyOf(e *codec.Event) answerKey {
	thread, _ := e.ThreadID()
	return answerKey{e.Timestamp, uint32(thread), e.Provider(), uint16(e.ID()), uint8(e.Version())}
}

// take assigns to an answer an event with its key, if their payloads agree as far
// as the answer has them, and the answer has no event yet. Events that differ
// only in a long payload do not occur.
func (a *answer) take(t *testing.T, e *codec.Event) {
	t.Helper()
	if a.payload != "" && !strings.EqualFold(a.payload, hex.EncodeToString(e.Payload())) {
		return
	}
	if a.event != nil {
		if !bytes.Equal(a.event.Payload(), e.Payload()) {
			t.Errorf("%v: two events", a.key)
		}
		return
	}
	a.event = e.Clone()
	a.ours, a.broken = fieldsOf(t, e)
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
