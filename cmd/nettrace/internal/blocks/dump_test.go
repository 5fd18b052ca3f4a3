package blocks

import (
	"testing"
)

func TestDump(t *testing.T) {
	got := string(appendDump(nil, wideColumns.dump, []byte("0123456789abcdef\x00\xff"), 1000))
	want := "          1000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|\n" +
		"          1016  00 ff                                             |..|\n"
	if got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

func TestSpans(t *testing.T) {
	for got, want := range map[string]string{
		spans(nil):                  "none",
		spans([]uint64{3, 1, 2, 9}): "1-3,9",
		spans([]uint64{1, 3, 5, 7, 9, 11, 13, 15, 17, 18}): "1,3,5,7,9,11,13,15 and 2 more",
	} {
		t.Run(want, func(t *testing.T) {
			if got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
