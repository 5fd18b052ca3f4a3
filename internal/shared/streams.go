package shared

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nettrace-go/nettrace/internal/archive"
	"github.com/nettrace-go/nettrace/internal/corpora"
)

// streamsArchive is the file of the folder corpora with the small streams.
const streamsArchive = "streams.tar.zst"

// streamExtensions are those of the streams in the folder "shared".
var streamExtensions = []string{".nettrace", ".nettrace.zst"}

// Streams lists the names of the small streams in alphabetical order, without
// extensions: "probe-02c-v4-datetime-systemtime-16-bytes". It lists those of the
// repository, whose names begin with "probe-", and those of the folder "shared".
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
	return slices.Compact(list)
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
// stream.
var readArchive = sync.OnceValues(func() (map[string][]byte, error) {
	dir, err := corpora.Dir()
	if err != nil {
		return nil, err
	}
	packed, err := os.ReadFile(filepath.Join(dir, streamsArchive))
	if err != nil {
		return nil, err
	}
	files, err := archive.Unpack(packed)
	streams := map[string][]byte{}
	for file, stream := range files {
		streams[strings.TrimSuffix(file, streamExtensions[0])] = stream
	}
	return streams, err
})
