package archive_test

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/archive"
)

// files are what the tests pack: an empty file, one in a folder, and one of several
// blocks of the compressor.
var files = map[string][]byte{
	"empty": {}, "folder/name.txt": []byte("text"), "large": []byte(strings.Repeat("0123456789", 100_000)),
}

func pack(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	packed, err := archive.Pack(files)
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

// TestRoundTrip checks that what is packed is unpacked, byte for byte.
func TestRoundTrip(t *testing.T) {
	for name, want := range map[string]map[string][]byte{"none": {}, "three": files} {
		t.Run(name, func(t *testing.T) {
			got, err := archive.Unpack(pack(t, want))
			if err != nil {
				t.Fatal(err)
			}
			if !maps.EqualFunc(got, want, bytes.Equal) {
				t.Errorf("got %d files, want the %d that were packed", len(got), len(want))
			}
		})
	}
}

// TestDeterministic checks that equal files make equal archives.
func TestDeterministic(t *testing.T) {
	first := pack(t, files)
	for range 10 {
		if !bytes.Equal(pack(t, maps.Clone(files)), first) {
			t.Fatal("two archives of the same files differ")
		}
	}
}

// TestUnpackDamaged checks that Unpack returns an error for a truncated archive and
// for bytes that are no archive.
func TestUnpackDamaged(t *testing.T) {
	packed := pack(t, files)
	for name, data := range map[string][]byte{"truncated": packed[:len(packed)/2], "no archive": []byte("no archive")} {
		t.Run(name, func(t *testing.T) {
			if got, err := archive.Unpack(data); err == nil {
				t.Errorf("got %d files and no error", len(got))
			}
		})
	}
}
