package fuzz

import (
	"testing"
)

// Choices and damages to begin with.
var (
	choices = []string{"", "12345678", "a trace of another version", "the quick brown fox jumps over the lazy dog, again and again"}
	damages = []string{"", "\x80", "\x20\x00\x01", "\x90\x01\xFF\x91\x01\xFF", "\x00\x02\x80\x00\x03\x80\x10"}
)

// madeStreams adds seeds for a target that takes choices, damage and one more.
func madeStreams(f *testing.F, more ...[]byte) {
	for _, c := range choices {
		for _, d := range damages {
			for _, m := range more {
				f.Add([]byte(c), []byte(d), m)
			}
		}
	}
}

// FuzzResumable: a stream gives the same result for any sizes of reads. Each byte
// of cuts is the size of a read; 0 is an empty read.
func FuzzResumable(f *testing.F) {
	madeStreams(f, []byte{1}, []byte{0, 7}, []byte{255, 0, 1, 64})
	fuzz(f)
}

// FuzzAgrees: the reader and the second decoder agree on the rows of a trace,
// damaged or not, and all ways to read the complete stream agree.
func FuzzAgrees(f *testing.F) {
	for _, c := range choices {
		for _, d := range damages {
			f.Add([]byte(c), []byte(d))
		}
	}
	fuzz(f)
}
