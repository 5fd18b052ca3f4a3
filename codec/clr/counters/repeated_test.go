package counters_test

import (
	"bytes"
	"math/rand"
	"reflect"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/codec/internal/traces"
)

// TestRepeated compares the messages of events whose series the Decoder recognizes with
// those of a Decoder that reads each member.
func TestRepeated(t *testing.T) {
	recorded := traces.Read(t, "net10-counters.v4")
	random := rand.New(rand.NewSource(1))
	var changed []event
	for range 40 {
		for _, e := range samples() {
			e.payload = bytes.Clone(e.payload)
			for range random.Intn(3) {
				e.payload[random.Intn(len(e.payload))] = byte(random.Intn(0x70)) // no NaN, which differs from itself
			}
			changed = append(changed, e)
		}
	}
	for name, trace := range map[string][]byte{"recorded": recorded, "changed": made(t, changed...)} {
		var d counters.Decoder
		for e, err := range codec.NewBytesReader(trace, codec.Options{}).Events() {
			if err != nil {
				t.Fatal(err)
			}
			var whole counters.Decoder
			want, wantErr := whole.Decode(e)
			got, gotErr := d.Decode(e)
			// Instruments and intervals are of the messages before.
			got.Instrument, got.Value.Instrument = want.Instrument, want.Value.Instrument
			if want.Value.Source == counters.Meters {
				got.Value.Interval, got.Value.Asked = want.Value.Interval, want.Value.Asked
			}
			if len(got.Value.Quantiles) == 0 {
				got.Value.Quantiles = want.Value.Quantiles[:0]
			}
			if !reflect.DeepEqual(gotErr, wantErr) || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, event at %d: got %+v, %v, want %+v, %v", name, e.Offset(), got, gotErr, want, wantErr)
			}
		}
	}
}

// round is a trace with the counters of one interval, n times.
func round(t testing.TB, n int) []byte {
	var events []event
	for range n {
		events = append(events,
			counter(meanLayout, "cpu-usage", "CPU Usage", 4.5, 2.25, 1, 0.5, 9.0, float32(1), "Interval=1000", "Mean", "", "%"),
			counter(sumLayout, "exception-count", "Exception Count", "00:00:01", 30.0, float32(1), "", "Interval=1000", "Sum", ""),
			meter(4, 2, "S", "Shop", "1.0", "requests", "{request}", "k=v", "1.5", "3", 4),
			meter(6, 2, "S", "Shop", "1.0", "duration", "s", "k=v", "0.5=1;0.95=2;0.99=3", 3, 4.5, 5))
	}
	return made(t, events...)
}

// TestAllocations decodes events of known series without an allocation.
func TestAllocations(t *testing.T) {
	var events []*codec.Event
	for e, err := range codec.NewBytesReader(round(t, 2), codec.Options{}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e.Clone())
	}
	var d counters.Decoder
	got := testing.AllocsPerRun(10, func() {
		for _, e := range events {
			if m, err := d.Decode(e); err != nil || m.Kind != counters.Measurement {
				t.Fatal(m, err)
			}
		}
	})
	if got != 0 {
		t.Errorf("got %v allocations for %d events, want none", got, len(events))
	}
}

func BenchmarkDecode(b *testing.B) {
	trace := round(b, 2000)
	for name, decode := range map[string]func(*counters.Decoder, *codec.Event) error{
		"read":   func(*counters.Decoder, *codec.Event) error { return nil },
		"decode": func(d *counters.Decoder, e *codec.Event) error { _, err := d.Decode(e); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var d counters.Decoder
			for n := 0; n < b.N; {
				for e, err := range codec.NewBytesReader(trace, codec.Options{}).Events() {
					if err != nil {
						b.Fatal(err)
					}
					if err := decode(&d, e); err != nil {
						b.Fatal(err)
					}
					n++
				}
			}
		})
	}
}
