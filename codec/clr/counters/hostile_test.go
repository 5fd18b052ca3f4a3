package counters_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// samples are events of all layouts.
func samples() []event {
	events := []event{
		counter(meanLayout, "load", "Load", 4.5, 2.25, 97, 0.5, 9.0, float32(1), "Interval=1000", "Mean", "k:v", "%"),
		counter(sumLayout, "sold", "Sold", "00:01:00", 30.0, float32(0.5), "", "Interval=500", "Sum", ""),
	}
	for id := range layouts {
		for version := range uint32(5) {
			events = append(events, meter(id, version, "S", "Shop", "1.0", "requests", "u", "0.5=1;0.9=2", "1", "2, 3", 4))
		}
	}
	return events
}

// TestCut decodes every event with every shorter payload, and none panics.
func TestCut(t *testing.T) {
	for _, e := range samples() {
		whole := e.payload
		for n := range whole {
			e.payload = whole[:n:n]
			_, _ = decode(t, made(t, e))
		}
	}
}

// TestRandom decodes random payloads.
func TestRandom(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 300 {
		events := samples()
		for i := range events {
			b := make([]byte, random.Intn(120))
			for j := range b {
				if random.Intn(2) == 0 { // zeros end texts
					b[j] = byte(random.Intn(256))
				}
			}
			events[i].payload = b
		}
		_, _ = decode(t, made(t, events...))
	}
}

// FuzzDecode reads a payload by every layout.
func FuzzDecode(f *testing.F) {
	for _, e := range samples() {
		f.Add(e.payload)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		events := samples()
		for i := range events {
			events[i].payload = b[:min(len(b), 60_000)]
		}
		messages, _ := decode(t, made(t, events...))
		var l counters.Latest
		for i := range messages {
			l.Add(&messages[i])
		}
		l.Series()
	})
}

// TestManyParts: the text of one value cannot require much memory.
func TestManyParts(t *testing.T) {
	_, errs := decode(t, made(t, meter(6, 0, "S", "M", "", "h", "", "", strings.Repeat("0.5=1;", 5000)+"0.5=1")))
	if len(errs) != 1 {
		t.Errorf("%d errors for 5,000 quantiles", len(errs))
	}
}

// TestBounds: instruments, sessions and series without end are not kept.
func TestBounds(t *testing.T) {
	var events []event
	for i := range 2000 {
		events = append(events, requests(7, fmt.Sprintf("session %d", i), ""),
			meter(5, 2, "S", "Shop", "1.0", "requests", "", fmt.Sprintf("k=%d", i), "1", 20))
	}
	l := counters.Latest{MaxSeries: 100}
	var d counters.Decoder
	for e, err := range codec.NewBytesReader(made(t, events...), codec.Options{}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		m, err := d.Decode(e)
		if err != nil {
			t.Fatal(err)
		}
		l.Add(&m)
	}
	if len(l.Series()) != 100 || l.Dropped() != 1900 {
		t.Errorf("%d series, %d values dropped", len(l.Series()), l.Dropped())
	}
}
