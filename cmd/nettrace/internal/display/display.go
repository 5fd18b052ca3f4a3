// Package display formats numbers, times and text from traces for users. Text
// from a trace cannot disturb a terminal.
package display

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nettrace-go/nettrace/codec"
)

// FlushSize is the number of bytes of text that are written at once.
const FlushSize = 64 << 10

// AppendPrintable appends text from a trace so that it cannot disturb a
// terminal: characters that are not printable become \u{hex}, and bytes that
// are not UTF-8 \xhh.
func AppendPrintable(b []byte, s string) []byte {
	start := len(b)
	return MakePrintable(append(b, s...), start)
}

// MakePrintable does what AppendPrintable does with the text from start to the end of b.
func MakePrintable(b []byte, start int) []byte {
	for start < len(b) && b[start] >= ' ' && b[start] < 0x7F {
		start++
	}
	if start == len(b) {
		return b
	}
	end := len(b)
	for text := b[start:end]; len(text) > 0; {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			b = append(b, '\\', 'x')
			b = strconv.AppendUint(b, uint64(text[0]), 16)
		case unicode.IsPrint(r):
			b = append(b, text[:n]...)
		default:
			b = append(b, '\\', 'u', '{')
			b = strconv.AppendUint(b, uint64(r), 16)
			b = append(b, '}')
		}
		text = text[n:]
	}
	return b[:start+copy(b[start:], b[end:])]
}

// Printable returns text from a trace so that it cannot disturb a terminal.
func Printable(s string) string { return string(AppendPrintable(nil, s)) }

// AppendTime appends a time relative to the trace's sync time, to the microsecond. Where
// the trace has no clock it appends @ and the ticks.
func AppendTime(b []byte, t *codec.Trace, ticks uint64) []byte {
	d := t.Since(ticks)
	if t.TickFrequency == 0 || d == math.MaxInt64 || d == math.MinInt64 || ticks == math.MaxUint64 {
		return strconv.AppendUint(append(b, '@'), ticks, 10)
	}
	sign := byte('+')
	if d < 0 {
		sign, d = '-', -d
	}
	b = append(b, sign)
	return append(AppendSeconds(b, d), " s"...)
}

// AppendSeconds appends a duration, not negative, as seconds with six digits.
func AppendSeconds(b []byte, d time.Duration) []byte {
	b = strconv.AppendInt(b, int64(d/time.Second), 10)
	b = append(b, '.')
	fraction := int64(d % time.Second / time.Microsecond)
	for unit := int64(100000); unit > 0; unit /= 10 {
		b = append(b, byte('0'+fraction/unit%10))
	}
	return b
}

// AppendRight appends text right-aligned in a column.
func AppendRight(b, text []byte, width int) []byte {
	return append(AppendSpaces(b, width-len(text)), text...)
}

// AppendSpaces appends n spaces.
func AppendSpaces(b []byte, n int) []byte {
	for ; n > 0; n-- {
		b = append(b, ' ')
	}
	return b
}

// Grouped returns a number with commas between thousands.
func Grouped(n int64) string {
	if n < 0 {
		return "-" + GroupedUnsigned(-uint64(n))
	}
	return GroupedUnsigned(uint64(n))
}

// GroupedUnsigned returns a number with commas between thousands.
func GroupedUnsigned(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	var b []byte
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, digits[i])
	}
	return string(b)
}

// Counted returns a number and what it counts: "1 event", "2 events".
func Counted(n int64, what string) string { return CountedUnsigned(uint64(n), what) }

// CountedUnsigned returns a number and what it counts: "1 event", "2 events".
func CountedUnsigned(n uint64, what string) string {
	if n != 1 {
		what = plural(what)
	}
	return GroupedUnsigned(n) + " " + what
}

// plural is the plural of a regular English noun, and of series.
func plural(noun string) string {
	if strings.HasSuffix(noun, "series") {
		return noun
	}
	for _, ending := range []string{"s", "x", "ch", "sh"} {
		if strings.HasSuffix(noun, ending) {
			return noun + "es"
		}
	}
	return noun + "s"
}

// Percent returns part of whole as a percentage with one decimal.
func Percent(part, whole int64) string {
	if whole == 0 {
		return "0 %"
	}
	return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 1, 64) + " %"
}

// Milliseconds returns a time in seconds as a number of milliseconds.
func Milliseconds(seconds float64) string {
	return strconv.FormatFloat(seconds*1e3, 'f', 2, 64) + " ms"
}
