package shared

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/archive"
	"github.com/nettrace-go/nettrace/internal/corpora"
)

var update = flag.Bool("update", false, "write the archive of streams from the folder shared")

func TestStreams(t *testing.T) {
	list := Streams(t)
	if len(list) < 235 || !slices.IsSorted(list) {
		t.Errorf("%d streams, sorted: %v", len(list), slices.IsSorted(list))
	}
	for i, name := range list {
		if i > 0 && name == list[i-1] {
			t.Errorf("%s is listed twice", name)
		}
		if len(Stream(t, name)) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}

// TestStreamsArchive compares the archive in the repository with the streams of
// the folder "shared" that may be part of the repository.
func TestStreamsArchive(t *testing.T) {
	folder := filepath.Join(Dir(t), "streams")
	want := map[string][]byte{}
	for _, name := range names(t, folder, streamExtensions) {
		if strings.HasPrefix(name, "probe-") {
			path := filepath.Join(folder, name)
			want[name] = read(t, path+streamExtensions[0], path+streamExtensions[1])
		}
	}
	if *update {
		writeArchive(t, want)
	}
	got, err := readArchive()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		t.Errorf("%d streams in the archive, %d in the folder", len(got), len(want))
	}
	for name, stream := range want {
		if !bytes.Equal(got[name], stream) {
			t.Errorf("%s: the archive differs from the folder", name)
		}
	}
}

// TestStreamsForbidden: only the streams made for this project may be part of
// the repository.
func TestStreamsForbidden(t *testing.T) {
	streams, err := readArchive()
	if err != nil {
		t.Fatal(err)
	}
	for name := range streams {
		if !strings.HasPrefix(name, "probe-") {
			t.Errorf("%s must not be in the archive", name)
		}
	}
}

func writeArchive(t *testing.T, streams map[string][]byte) {
	t.Helper()
	files := map[string][]byte{}
	for name, stream := range streams {
		files[name+streamExtensions[0]] = stream
	}
	packed, err := archive.Pack(files)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := corpora.Dir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, streamsArchive), packed, 0o644); err != nil {
		t.Fatal(err)
	}
}
