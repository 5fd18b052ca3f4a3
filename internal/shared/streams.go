package shared

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nettrace-go/nettrace/internal/archive"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// streamsArchive is the file of the repository with the small streams. It is in
// module codec, whose tests read nothing outside of the module.
const streamsArchive = "codec/testdata/streams.tar.gz"

// ownPrefix begins the names of the streams that may be part of the repository.
const ownPrefix = "probe-"

// streamExtensions are those of the streams in the folder "shared".
var streamExtensions = []string{".nettrace", ".nettrace.zst"}

// Streams lists the names of the small streams in alphabetical order, without
// extensions: "probe-02c-v4-datetime-systemtime-16-bytes". It lists those of the
// repository, whose names begin with "probe-", and those of the folder "shared".
// Under the race detector it lists every eighth, but in make nightly.
func Streams(tb testing.TB) []string {
	tb.Helper()
	var list []string
	for name := range ownStreams(tb) {
		list = append(list, name)
	}
	if Present(tb) {
		list = append(list, names(tb, filepath.Join(Dir(tb), "streams"), streamExtensions)...)
	} else {
		partial(tb, "streams")
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if Race && !tier.Nightly {
		all := list
		list = nil
		for i := 0; i < len(all); i += 8 {
			list = append(list, all[i])
		}
		tb.Logf("%d of %d streams are read under the race detector: make nightly reads all", len(list), len(all))
	}
	return list
}

// Stream returns the plain bytes of one of [Streams]. It skips the test where the
// stream can only be in the folder "shared" and there is no such folder.
func Stream(tb testing.TB, name string) []byte {
	tb.Helper()
	if stream, ok := ownStreams(tb)[name]; ok {
		return bytes.Clone(stream)
	}
	path := filepath.Join(Dir(tb), "streams", name)
	return read(tb, path+streamExtensions[0], path+streamExtensions[1])
}

// ownStreams returns the streams of the repository by name.
func ownStreams(tb testing.TB) map[string][]byte {
	tb.Helper()
	streams, err := readArchive()
	if errors.Is(err, fs.ErrNotExist) {
		missing(tb, "no streams: "+err.Error())
	} else if err != nil {
		tb.Fatal(err)
	}
	return streams
}

// readArchive reads the archive once per process, because tests ask for each
// stream. It leaves out random-*, which package gen makes.
var readArchive = sync.OnceValues(func() (map[string][]byte, error) {
	files, err := unpackStreams()
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return !strings.HasPrefix(name, ownPrefix) })
	return files, err
})

// unpackStreams returns the files of the archive by name.
func unpackStreams() (map[string][]byte, error) {
	root, err := corpora.Root()
	if err != nil {
		return nil, err
	}
	packed, err := os.Open(filepath.Join(root, streamsArchive))
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	plain, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	return archive.Files(plain)
}
