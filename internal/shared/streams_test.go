package shared

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
		if strings.HasPrefix(name, ownPrefix) {
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

// writeArchive replaces the streams of the archive, but for those that are not
// from the folder.
func writeArchive(t *testing.T, streams map[string][]byte) {
	t.Helper()
	files, err := unpackStreams()
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return strings.HasPrefix(name, ownPrefix) })
	maps.Copy(files, streams)
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	root, err := corpora.Root()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, streamsArchive), packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestStreamsForbidden: only the streams made for this project may be part of
// the repository.
func TestStreamsForbidden(t *testing.T) {
	files, err := unpackStreams()
	if err != nil {
		t.Fatal(err)
	}
	for name := range files {
		if !strings.HasPrefix(name, ownPrefix) && !strings.HasPrefix(name, "random-") {
			t.Errorf("%s must not be in the archive", name)
		}
	}
}

// TestCodecTraces compares the traces in the testdata of module codec with those
// of the same name in the folder corpora.
func TestCodecTraces(t *testing.T) {
	root, err := corpora.Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "codec", "testdata", "*.v[3-6].gz"))
	if err != nil || len(files) < 11 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".gz")
		t.Run(name, func(t *testing.T) {
			packed, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer packed.Close()
			plain, err := gzip.NewReader(packed)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(plain); err != nil || !bytes.Equal(got, Trace(t, name)) {
				t.Errorf("%d bytes, %v: the files differ", len(got), err)
			}
		})
	}
}
