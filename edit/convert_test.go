package edit_test

import (
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// eventView has the properties of an event that two versions can both express.
type eventView struct {
	ticks, keywords, thread, capture, process uint64
	id, version, level, sequence, processor   uint32
	opcode                                    uint8
	sorted                                    bool
	provider, name, fields                    string
	payload, stack                            uint32
	own, related                              wire.GUID
}

// readViews reads a stream: its events, and the lost events by capture thread.
func readViews(t *testing.T, data []byte) (events []eventView, lost map[uint64]uint64) {
	t.Helper()
	lost = map[uint64]uint64{}
	opt := codec.Options{OnError: codec.Skip}
	opt.OnLost = func(l codec.Lost) {
		id := l.CaptureThread
		if l.Thread != nil {
			id = l.Thread.ThreadID
		}
		lost[id] += l.Count
	}
	r := codec.NewBytesReader(data, opt)
	types := map[*codec.Metadata]string{}
	var stack []byte
	for e, err := range r.Events() {
		if err != nil && len(events) == 0 {
			t.Fatal(err)
		}
		if err != nil {
			break
		}
		m := e.Metadata()
		if _, ok := types[m]; !ok && m != nil {
			types[m] = fmt.Sprint(fieldsText(m.Fields))
		}
		stack = stack[:0]
		for _, a := range e.Stack() {
			stack = wire.AppendVarUint(stack, a)
		}
		s := eventView{
			ticks: e.Timestamp, keywords: e.Keywords(), id: e.ID(), version: e.Version(), level: e.Level(),
			sequence: e.Sequence, processor: e.Processor, opcode: e.Opcode(), sorted: e.Sorted(),
			provider: e.Provider(), name: e.Name(), fields: types[m],
			payload: crc32.ChecksumIEEE(e.Payload()), stack: crc32.ChecksumIEEE(stack),
			own: e.Activity(), related: e.RelatedActivity(),
		}
		s.thread, _ = e.ThreadID()
		s.capture, _ = e.CaptureThreadID()
		s.process, _ = e.ProcessID()
		events = append(events, s)
	}
	return events, lost
}

func fieldsText(fields []codec.Field) string {
	var b strings.Builder
	for i := range fields {
		fmt.Fprintf(&b, "%s:%s;", fields[i].Name, typeText(&fields[i].Type))
	}
	return b.String()
}

func typeText(t *codec.Type) string {
	text := t.Code.String() + fmt.Sprint(t.Count)
	if t.Element != nil {
		text += "[" + typeText(t.Element) + "]"
	}
	return text + "{" + fieldsText(t.Fields) + "}"
}

// streamSummary is the content of a stream.
type streamSummary struct {
	events  []eventView
	lost    map[uint64]uint64
	defects int
}

func summarize(t *testing.T, data []byte) *streamSummary {
	t.Helper()
	events, lost := readViews(t, data)
	r := codec.NewBytesReader(data, codec.Options{OnError: codec.Skip})
	for range r.Events() {
	}
	return &streamSummary{events, lost, len(r.Defects())}
}

// same compares the content of two streams and reports the first difference. The
// second stream is complete.
func same(t *testing.T, what string, before *streamSummary, data []byte, level func(*eventView)) {
	t.Helper()
	is := summarize(t, data)
	for i := range min(len(before.events), len(is.events)) {
		a, b := before.events[i], is.events[i]
		level(&a)
		level(&b)
		if a != b {
			t.Errorf("%s: event %d was\n%+v, is\n%+v", what, i, a, b)
			return
		}
	}
	if len(before.events) != len(is.events) {
		t.Errorf("%s: %d events, were %d", what, len(is.events), len(before.events))
	}
	if fmt.Sprint(before.lost) != fmt.Sprint(is.lost) {
		t.Errorf("%s: lost %v, was %v", what, is.lost, before.lost)
	}
	if is.defects > before.defects {
		t.Errorf("%s: %d rules are violated, before %d", what, is.defects, before.defects)
	}
	if _, err := count(data); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

func leveled(*eventView) {}

// withoutNumbers is for sources that do not number their events.
func withoutNumbers(s *eventView) { s.sequence, s.sorted = 0, false }

// TestConvert: a trace of any version has the same content in v6, in compact
// blocks and in uncompressed rows too.
func TestConvert(t *testing.T) {
	forms := []struct {
		name string
		opt  edit.ConvertOptions
	}{{"v6", edit.ConvertOptions{}}, {"v6 compact", edit.ConvertOptions{Compact: true}}, {"v6 uncompressed", edit.ConvertOptions{Uncompressed: true}}}
	for _, name := range shared.Small(t) {
		if name == "onecollect-overflow.v6" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			level := leveled
			if strings.HasSuffix(name, ".v3") {
				level = withoutNumbers
			}
			was := summarize(t, data)
			for _, form := range forms {
				out, list := convert(t, data, form.opt)
				same(t, name+" as "+form.name, was, out, level)
				for _, c := range list {
					if !strings.HasPrefix(c.What, "unused rows") {
						t.Errorf("%s as %s: %v", name, form.name, c)
					}
				}
				if len(data) > 10<<20 {
					break // one form of the large ones is enough
				}
			}
		})
	}
}

// TestConvertBack: from v6 back to where it came from, nothing is missing.
func TestConvertBack(t *testing.T) {
	for _, name := range shared.Small(t) {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			if strings.HasSuffix(name, ".v6") || len(data) > 10<<20 {
				return
			}
			level := leveled
			if strings.HasSuffix(name, ".v3") {
				level = withoutNumbers
			}
			there, _ := convert(t, data, edit.ConvertOptions{Compact: strings.HasPrefix(name, "net10")})
			back, list := convert(t, there, edit.ConvertOptions{Format: wire.V5})
			same(t, name, summarize(t, data), back, level)
			if len(list) > 0 {
				t.Error(list)
			}
		})
	}
}

// TestConvertLosses: properties that v4 cannot express are named and counted.
func TestConvertLosses(t *testing.T) {
	for _, c := range []struct {
		name   string
		major  uint32
		noTags bool
		want   string
	}{
		{"onecollect-small.v6", 4, true, "[fields of metadata left out: 24 GUIDs of providers left out: 1 " +
			"processes of threads left out: 9 keys and values of label lists left out: 3]"},
		{"net10-types.v4", 4, true, "[opcodes of metadata left out: 25 fields of metadata left out: 11]"},
		{"net10-types.v4", 4, false, "[]"},
		{"net10-types.v4", 5, false, "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, list := convert(t, shared.Trace(t, c.name), edit.ConvertOptions{Format: wire.Format{Major: c.major}, NoTags: c.noTags})
			if got := fmt.Sprint(list); got != c.want {
				t.Errorf("%s to v%d: %s, want %s", c.name, c.major, got, c.want)
			}
			same(t, c.name, summarize(t, shared.Trace(t, c.name)), out, func(s *eventView) { s.fields, s.opcode, s.process = "", 0, 0 })
		})
	}
}
