package display_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/codec"
)

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain text":    "plain text",
		"grün 日本":       "grün 日本",
		"\x1b[2J\n\x7f": `\u{1b}[2J\u{a}\u{7f}`,
		"a\u202eb":      `a\u{202e}b`,
		"\xff\xed\xa0":  `\xff\xed\xa0`,
	} {
		t.Run(fmt.Sprintf("%q", in), func(t *testing.T) {
			if got := display.Printable(in); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

func TestAppendTime(t *testing.T) {
	clock := &codec.Trace{SyncTicks: 1000, TickFrequency: 10_000_000}
	for _, c := range []struct {
		trace *codec.Trace
		ticks uint64
		want  string
	}{
		{clock, 1000, "+0.000000 s"},
		{clock, 1000 + 123_456_789, "+12.345678 s"},
		{clock, 0, "-0.000100 s"},
		{clock, math.MaxUint64, "@18446744073709551615"},
		{&codec.Trace{TickFrequency: 1}, 1 << 40, "@1099511627776"},
		{&codec.Trace{SyncTicks: 5}, 7, "@7"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := string(display.AppendTime(nil, c.trace, c.ticks)); got != c.want {
				t.Errorf("%d: %s, want %s", c.ticks, got, c.want)
			}
		})
	}
}

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		display.Grouped(0):                 "0",
		display.Grouped(999):               "999",
		display.Grouped(-1234567):          "-1,234,567",
		display.GroupedUnsigned(1<<64 - 1): "18,446,744,073,709,551,615",
		display.Counted(1, "event"):        "1 event",
		display.Counted(1000, "event"):     "1,000 events",
		display.Percent(155, 18339):        "0.8 %",
		display.Percent(0, 0):              "0 %",
	} {
		t.Run(want, func(t *testing.T) {
			if got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
