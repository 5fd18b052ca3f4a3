package collect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe/record"
)

// extensions of files, the longest first, and how they are compressed.
var extensions = []struct {
	suffix      string
	compression record.Compression
}{
	{".nettrace.zst", record.Zstd}, {".nettrace.gz", record.Gzip}, {".nettrace", record.Uncompressed},
	{".zst", record.Zstd}, {".gz", record.Gzip},
}

// named derives the stem, the extension and the compression from the name of
// the output.
func (o *options) named() {
	o.ownName = o.output == ""
	if info, err := os.Stat(o.output); strings.HasSuffix(o.output, "/") || err == nil && info.IsDir() {
		o.ownName, o.folder = true, o.output
	}
	o.stem, o.extension, o.compression = splitName(o.output)
}

// splitName splits the name of an output into its stem and its extension, which
// chooses the compression.
func splitName(name string) (stem, extension string, compression record.Compression) {
	for _, e := range extensions {
		if strings.HasSuffix(strings.ToLower(name), e.suffix) {
			at := len(name) - len(e.suffix)
			return name[:at], name[at:], e.compression
		}
	}
	return name, "", record.Uncompressed
}

// fileName is the name of an output. The parameter what distinguishes the
// outputs of one recording: it is "" for the output of the flags.
func (o *options) fileName(a *attach.Process, what string, now time.Time) string {
	switch {
	case o.ownName && what == "":
		return filepath.Join(o.folder, a.TraceName(now)+".nettrace")
	case o.ownName:
		return filepath.Join(o.folder, fmt.Sprintf("%s_%s.nettrace", a.TraceName(now), what))
	case what == "":
		return o.output
	}
	return o.stem + "_" + what + o.extension
}

// traceFile is an output and the file below it.
type traceFile struct {
	*record.File
	name  string
	below *os.File // nil: standard output
	shown string   // the name for messages
}

// openTrace opens an output. Its errors have an exit code.
func openTrace(p *run.Program, o *options, name string) (*traceFile, error) {
	t, err := openOutput(p, o, name)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	return t, nil
}

func openOutput(p *run.Program, o *options, name string) (*traceFile, error) {
	t := &traceFile{name: name, shown: strings.TrimSuffix(name, sessionSuffix)}
	var err error
	if name == output.Stdout {
		if terminal.IsTerminal(p.Stdout) && !o.force {
			return nil, errors.New("--output -: standard output is a terminal (--force writes to it)")
		}
		t.File, err = record.NewStream(p.Stdout, o.compression)
		return t, err
	}
	if err := o.free(name); err != nil {
		return nil, err
	}
	if t.below, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666); err != nil {
		return nil, err
	}
	t.File, err = record.NewFile(t.below, o.compression)
	return t, err
}

// events counts the events in a regular file that has been closed.
func (t *traceFile) events() (n int64, known bool) {
	if t.below == nil {
		return 0, false
	}
	f, err := os.Open(t.name)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	src, err := nettrace.NewSource(f, nettrace.SourceOptions{})
	if err != nil {
		return 0, false
	}
	defer src.Close()
	r := codec.NewReader(src, codec.Options{OnError: codec.Skip})
	for _, err := range r.Events() {
		if err != nil {
			break
		}
	}
	return r.Count(), true
}

// free returns an error if a file must not be written.
func (o *options) free(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && info.IsDir():
		return &fs.PathError{Op: "write", Path: name, Err: syscall.EISDIR}
	case err == nil && o.ring != "" && info.Mode()&fs.ModeNamedPipe != 0:
		return fmt.Errorf("%s is a FIFO: --ring writes complete files, at the end and at each SIGUSR1", name)
	case err == nil && info.Mode().IsRegular() && !o.force:
		return output.ExistsError(name)
	}
	return nil
}

// close ends the output. It removes an empty file. close may be called again.
func (t *traceFile) close() error {
	err := t.Close()
	if t.below == nil {
		return err
	}
	info, statErr := t.below.Stat()
	if statErr != nil {
		return err // is closed
	}
	if closed := t.below.Close(); err == nil {
		err = closed
	}
	if !info.Mode().IsRegular() {
		return err
	}
	if moved := t.moved(info); moved != nil {
		return errors.Join(err, moved)
	}
	if t.Size() == 0 {
		os.Remove(t.name)
	}
	return err
}

// moved returns an error when the name of the output is no longer that of the
// file.
func (t *traceFile) moved(written fs.FileInfo) error {
	now, err := os.Stat(t.name)
	if err == nil && os.SameFile(now, written) {
		return nil
	}
	return fmt.Errorf("%s was removed, renamed or replaced while it was written", t.name)
}

// title returns the name of the output for messages.
func (t *traceFile) title() string {
	if t.name == output.Stdout {
		return "standard output"
	}
	return t.shown
}
