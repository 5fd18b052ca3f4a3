package fuzz

import "testing"

// FuzzAsync gets the records of two buffers of the async profiler of .NET 11.
func FuzzAsync(f *testing.F) {
	created := []byte{20, 9, 1, 0, 2, 0, 2, 6, 0, 12, 0, 0, 31, 3, 0, 2, 0, 0xfe, 0xd7, 0xec, 0x4c, 0xfd, 0x13, 3, 0}
	resumed := []byte{12, 0, 1, 110, 16, 0, 9, 0, 0, 0, 2, 110, 0xa0, 0x9f, 0x13, 0, 9, 1, 17, 0, 18, 0, 15, 0, 1, 2, 19, 0, 6, 0, 0, 0, 1, 110, 5, 4, 13, 1}
	list := []byte{22, 0, 24, 0, 0, 0, 0, 0, 32, 6, 2, 1, 2, 22, 1, 2, 77, 5, 1, 20, 1, 0, 5, 1, 0, 9, 1, 3}
	f.Add(created, resumed)
	f.Add(list, []byte{77, 0, 3, 1, 2, 3, 2, 0, 3, 0, 9, 8, 8, 20, 0, 5, 0})
	f.Add(list[:12], []byte{23, 0, 4, 1, 2, 3, 4, 21, 0, 20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	fuzz(f)
}
