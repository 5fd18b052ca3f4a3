package fuzz

import (
	"testing"
)

// sources adds made traces, damaged or not; with a seed of no choices the damage
// is the stream itself.
func sources(f *testing.F, forms ...byte) {
	for _, form := range forms {
		for _, c := range choices {
			for _, d := range damages {
				f.Add([]byte(c), []byte(d), form)
			}
		}
		for _, b := range allStreams(f) {
			f.Add([]byte(nil), b, form)
		}
	}
}

// FuzzRoundTrip: a valid trace is written again with the same bytes. The readable
// part of another trace has the same content when it is written again, and the
// same bytes the second time.
func FuzzRoundTrip(f *testing.F) {
	sources(f, 0)
	fuzz(f)
}

// FuzzTranscode: a trace has the same content in another version or form.
func FuzzTranscode(f *testing.F) {
	sources(f, 0, 1, 2, 5, 7)
	fuzz(f)
}
