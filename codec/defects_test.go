package codec_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/traces"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestReaderDefects reads the small streams named probe-, each of which a good
// reader read wrongly. testdata/probes.txt has the results: a line for each
// stream, and one for each of the first events.
func TestReaderDefects(t *testing.T) {
	const file = "testdata/probes.txt"
	want := map[string]string{}
	golden, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(golden), "\n\n") {
		name, _, _ := strings.Cut(part, ":")
		want[name] = strings.TrimSuffix(part, "\n")
	}
	var all []string
	for _, stream := range traces.Streams(t) {
		name := stream.Name
		if !strings.HasPrefix(name, "probe-") {
			continue
		}
		got := name + ": " + account(stream.Data)
		all = append(all, got)
		t.Run(name, func(t *testing.T) {
			if !*update {
				sameLines(t, want[name], got)
			}
		})
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(all, "\n\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// account describes a stream: the result, then its first events.
func account(stream []byte) string {
	var b strings.Builder
	b.WriteString(outcome(stream))
	r := codec.NewBytesReader(stream, codec.Options{OnError: codec.Skip, Order: codec.ByTime})
	shown := 0
	for e, ok := r.Next(); ok && shown < 4; e, ok = r.Next() {
		shown++
		id, _ := e.ThreadID()
		process, _ := e.ProcessID()
		fmt.Fprintf(&b, "\n  %d #%d %s/%d/%s thread %d process %d processor %d", e.Timestamp, e.Sequence, e.Provider(), e.ID(), e.Name(), id, process, int32(e.Processor))
		fmt.Fprintf(&b, " payload %d stack %d labels %d", len(e.Payload()), len(e.Stack()), len(e.Labels()))
		if !e.RelatedActivity().IsZero() {
			fmt.Fprintf(&b, " related %v", e.RelatedActivity())
		}
		for name, v := range e.Fields() {
			fmt.Fprintf(&b, " %s=%s", name, shortText(v))
		}
	}
	return b.String()
}

// shortText is a value, or the beginning of one.
func shortText(v codec.Value) string {
	text := valueText(v, 0)
	return text[:min(len(text), 60)]
}

func valueText(v codec.Value, depth int) string {
	switch {
	case depth > 4:
		return "..."
	case v.IsText():
		return fmt.Sprintf("%q", v.Text())
	}
	switch v.Code() {
	case wire.Single, wire.Double, wire.Decimal:
		return fmt.Sprint(v.Float64())
	case wire.GUIDCode:
		return fmt.Sprint(v.GUID())
	case wire.DateTime, wire.SystemTimeCode:
		at, ok := v.Time()
		return fmt.Sprint(at.Format("2006-01-02T15:04:05.999999999"), ok)
	case wire.Object:
		var parts []string
		for name, inner := range v.Fields() {
			parts = append(parts, name+"="+valueText(inner, depth+1))
		}
		return "{" + strings.Join(parts, " ") + "}"
	case wire.Array, wire.FixedLengthArray, wire.RelLoc, wire.DataLoc:
		var parts []string
		n := 0
		for inner := range v.Elements() {
			if n++; n <= 4 {
				parts = append(parts, valueText(inner, depth+1))
			}
		}
		return fmt.Sprintf("[%d: %s]", n, strings.Join(parts, " "))
	}
	return fmt.Sprint(v.Int64())
}

// TestSentinels: in every probe of types, the number after the value under test
// is found, unless the format has no such type or the payload is malformed before
// it.
func TestSentinels(t *testing.T) {
	without := []string{
		"00-code0", "02-code2", "27-code27", "dataloc-18-utf16z", "relloc-18-utf16z", "relloc-of-nulstring",
		"array-of-relloc-int32", "payload-empty-for-int32", "varuint-11-bytes",
	}
	for _, stream := range traces.Streams(t) {
		name := stream.Name
		if !strings.HasPrefix(name, "probe-12-") {
			continue
		}
		r := codec.NewBytesReader(stream.Data, codec.Options{OnError: codec.Skip})
		found, events := 0, 0
		for e, ok := r.Next(); ok; e, ok = r.Next() {
			if events++; fieldOf(e, "Sentinel").Int64() == sentinel {
				found++
			}
		}
		expected := !slices.ContainsFunc(without, func(s string) bool { return strings.HasSuffix(name, s) })
		if events == 0 || (found == events) != expected {
			t.Errorf("%s: %d events, %d sentinels", name, events, found)
		}
	}
}

// sentinel is the number after the values.
const sentinel = 1587633825
