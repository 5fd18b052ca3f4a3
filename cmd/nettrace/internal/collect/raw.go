package collect

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
)

// rawFile holds the bytes of a stream as the process sent them (--keep-raw).
type rawFile struct {
	*os.File
	size int64
	err  error // of the first write that failed
}

// rawName is the name of the file that holds the bytes of the stream recorded in
// the output name: that name with the extension .raw.
func rawName(name string) string {
	stem, _, _ := splitName(name)
	return stem + ".raw"
}

// openRaw creates the file of --keep-raw. Its errors have an exit code.
func (r *recording) openRaw(name string) error {
	if !r.o.keepRaw {
		return nil
	}
	name = rawName(name)
	if err := r.o.free(name); err != nil {
		return exit.With(exit.Usage, err)
	}
	f, err := os.Create(name)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	r.raw = &rawFile{File: f}
	return nil
}

// stream is the session, whose bytes also go to the file of --keep-raw.
func (r *recording) stream() io.Reader {
	if r.raw == nil {
		return r.session
	}
	return io.TeeReader(r.session, r.raw)
}

// Write reports no error: a full disk must not end the recording.
func (f *rawFile) Write(b []byte) (int, error) {
	if f.err == nil {
		var n int
		n, f.err = f.File.Write(b)
		f.size += int64(n)
	}
	return len(b), nil
}

// remove removes the file of a recording that has not begun.
func (f *rawFile) remove() {
	if f == nil {
		return
	}
	info, err := f.Stat()
	f.Close()
	if err == nil && info.Mode().IsRegular() {
		os.Remove(f.Name())
	}
}

// closeRaw closes the file, prints its size, and reports whether it has all
// bytes that were read.
func (r *recording) closeRaw() bool {
	f := r.raw
	if f == nil {
		return true
	}
	err := errors.Join(f.err, f.Close())
	text := fmt.Sprintf("%s: %s as the process sent them", f.Name(), display.Counted(f.size, "byte"))
	if err != nil {
		text += fmt.Sprintf("; the rest is missing: %v", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.p.Complain("%s", text)
	return err == nil
}
