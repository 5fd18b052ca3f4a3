package input

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
)

// zipMagic begins a zip archive that has files.
const zipMagic = "PK\x03\x04"

// zipped is the name of the compression of a trace in a zip archive.
const zipped = "zip"

// FromZip returns the trace in a zip archive: a .diagsession of Visual Studio, a .trace.zip or a
// trace that was zipped to be sent. size is that of the trace. It returns nil for another file, which it has not
// moved.
func FromZip(f *os.File) (trace io.ReadCloser, size int64, err error) {
	var head [len(zipMagic)]byte
	if _, err := f.ReadAt(head[:], 0); err != nil || string(head[:]) != zipMagic {
		return nil, 0, nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	archive, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, 0, nil // which is refused by its first bytes
	}
	found, err := traceIn(archive)
	if err != nil {
		return nil, 0, err
	}
	trace, err = found.Open()
	return trace, int64(found.UncompressedSize64), err
}

// traceIn returns the only trace in an archive, by the names of the files, or else by their first
// bytes.
func traceIn(archive *zip.Reader) (*zip.File, error) {
	list := zipFiles(archive, func(f *zip.File) bool { return strings.EqualFold(path.Ext(f.Name), ".nettrace") })
	if len(list) == 0 {
		list = zipFiles(archive, isTrace)
	}
	switch {
	case len(list) == 0:
		return nil, fmt.Errorf("a zip archive without a NetTrace stream in it: it has %s", zipNames(archive.File))
	case len(list) > 1:
		return nil, fmt.Errorf("a zip archive with several traces (%s): unpack it, and give one of them", zipNames(list))
	case list[0].Flags&1 != 0:
		return nil, errors.New("an encrypted zip archive: unpack it first")
	}
	return list[0], nil
}

func zipFiles(archive *zip.Reader, is func(*zip.File) bool) (list []*zip.File) {
	for _, f := range archive.File {
		if !f.FileInfo().IsDir() && is(f) {
			list = append(list, f)
		}
	}
	return list
}

func isTrace(f *zip.File) bool {
	r, err := f.Open()
	if err != nil {
		return false
	}
	defer r.Close()
	head := make([]byte, len(magic))
	_, err = io.ReadFull(r, head)
	return err == nil && string(head) == magic
}

// zipNames lists the first names of files.
func zipNames(files []*zip.File) string {
	const most = 5
	var names []string
	for _, f := range files[:min(most, len(files))] {
		names = append(names, display.Printable(f.Name))
	}
	if more := len(files) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	if len(names) == 0 {
		return "no files"
	}
	return strings.Join(names, ", ")
}
