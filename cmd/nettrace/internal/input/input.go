// Package input opens traces: files and standard input, compressed or not. It
// also has the options of the reader and the messages about a malformed stream,
// for all commands that read a trace.
package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	library "github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/progress"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// Stdin is the name of standard input, on the command line and in messages.
const Stdin = "-"

// Summary is the end of the name of a summary of traces, which nettrace summarize writes.
const Summary = ".nts"

// File is one opened file: the uncompressed stream in it, and the properties of
// the file.
type File struct {
	Name    string      // as the user gave it
	Plain   io.Reader   // the uncompressed stream; use Read
	At      io.ReaderAt // the file as it is stored; nil when it is not a file
	Stored  int64       // size of the file in bytes, -1 when unknown
	Packed  string      // the name of the compression, "" for none
	Regular bool        // it is a regular file, so that it ends
	GCDump  bool        // it is a .gcdump file, which Options.GCDump allows

	content int64 // bytes that the source yields, -1 when unknown: other than Stored for a zip archive
	waits   bool  // at the end it waits for more
	bytes   int64 // of the uncompressed stream that were read
	ended   bool  // these are all
	before  func()
	process bool // the stream is that of a running process
	closers []func()
	bar     *progress.Bar
	shared  bool // the bar is that of several files

	rest        *Rest             // of Rest
	random      *io.SectionReader // of Random
	randomKnown bool
}

// Read reads bytes of the uncompressed stream. It first calls Options.Before, because the
// source may stay silent for long.
func (in *File) Read(b []byte) (int, error) {
	if in.before != nil {
		in.before()
	}
	n, err := in.Plain.Read(b)
	in.bytes += int64(n)
	in.ended = in.ended || err == io.EOF
	if err != nil && err != io.EOF {
		err = Damaged(in.Packed, err)
	}
	return n, err
}

// Damaged returns the message for users of an error of unpacking data with the given
// compression, and other errors as they are.
func Damaged(compression string, err error) error {
	var window *library.WindowError
	if errors.As(err, &window) {
		return windowError(window.Size)
	}
	var data *library.DamagedError
	if errors.As(err, &data) {
		compression, err = data.Compression, data.Err
	}
	if compression == "" {
		return err
	}
	return fmt.Errorf("damaged %s data: %w", compression, err)
}

// FromStream returns the bytes of a stream as an input of the given name. before is
// called before each read.
func FromStream(name string, stream io.Reader, before func()) *File {
	return &File{Name: name, Plain: stream, Stored: -1, before: before, process: true}
}

// FromBytes returns an uncompressed trace in memory as an input of the given name.
func FromBytes(name string, data []byte) *File {
	return &File{Name: name, Plain: bytes.NewReader(data), Stored: int64(len(data)), Regular: true}
}

// EndProgress removes the progress bar, because the next output of the command may be on
// the same terminal.
func (in *File) EndProgress() {
	if !in.shared {
		in.bar.Stop()
	}
}

// Close closes what is open and ends the progress bar.
func (in *File) Close() {
	for _, f := range in.closers {
		f()
	}
	in.EndProgress()
}

// Size returns the number of bytes of the uncompressed stream. known is false, and n the
// number of bytes that were read, when that number is not known: when the file is
// compressed, or not a regular file, and it was not read to its end.
func (in *File) Size() (n int64, known bool) {
	if in.Packed == "" && in.Regular {
		return in.Stored, true
	}
	return in.bytes, in.ended
}

// Options are the options of Open.
type Options struct {
	Waiting func(*os.File) io.Reader // reads a regular file that grows, or nil
	Before  func()                   // to do before each read, or nil
	Silent  bool                     // nothing is written before the end: a bar disturbs nothing
	Shared  *progress.Bar            // the bar of several files; nil: the file has its own
	GCDump  bool                     // a .gcdump file is no error
}

// Open opens a file by name. The first bytes decide how it is compressed.
func Open(p *run.Program, name string, how Options) (*File, error) {
	in := &File{Name: name, before: how.Before, Stored: -1}
	src, err := source(p, in)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	in.content = in.Stored
	if file, ok := src.(*os.File); ok && in.Regular {
		if src, err = in.openZip(file); err != nil {
			in.Close()
			return nil, exit.With(exit.Broken, FileError(name, err))
		}
	}
	if file, ok := src.(*os.File); ok && how.Waiting != nil && in.Regular {
		src, in.waits = how.Waiting(file), true
	} else {
		in.bar, in.shared = how.Shared, how.Shared != nil
		if !in.shared {
			in.bar = NewBar(p, in.content, how.Silent)
		}
		src = in.bar.Watch(src)
	}
	if err := in.unpack(src, how); err != nil {
		in.Close()
		return nil, exit.With(exit.Broken, FileError(name, err))
	}
	if how.Waiting != nil && in.Packed != "" {
		in.Close()
		return nil, exit.With(exit.Usage, FileError(name, errors.New("a compressed file cannot be followed")))
	}
	return in, nil
}

// NewBar returns the bar of reading size bytes, -1 if that is unknown. silent says that the
// command prints nothing before it has read the input: otherwise there is no bar if both
// standard output and standard error are terminals.
func NewBar(p *run.Program, size int64, silent bool) *progress.Bar {
	if !silent && terminal.IsTerminal(p.Stdout) {
		return nil
	}
	return p.Progress.Bytes(size)
}

// SharedBar returns the bar of reading several files. It returns nil for one file, which
// has its own bar.
func SharedBar(p *run.Program, names []string) *progress.Bar {
	if len(names) == 1 {
		return nil
	}
	total := int64(0)
	for _, name := range names {
		info, err := os.Stat(name)
		if name == Stdin || err != nil || !info.Mode().IsRegular() {
			return p.Progress.Bytes(-1)
		}
		total += info.Size()
	}
	return p.Progress.Bytes(total)
}

// Again opens the file a second time. Reading it advances the same bar.
func (in *File) Again(p *run.Program) (*File, error) {
	second, err := Open(p, in.Name, Options{Shared: in.bar})
	if err == nil && second.Regular {
		in.bar.Extend(second.content)
	}
	return second, err
}

// source opens the stored file, which may be compressed.
func source(p *run.Program, in *File) (io.Reader, error) {
	if in.Name == Stdin {
		if f, ok := p.Stdin.(*os.File); ok {
			in.measure(f)
		}
		return p.Stdin, nil
	}
	f, err := os.Open(in.Name)
	if err != nil {
		return nil, suggestPacked(in.Name, err)
	}
	if info := in.measure(f); info != nil && info.IsDir() {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: in.Name, Err: syscall.EISDIR}
	}
	in.closers = append(in.closers, func() { f.Close() })
	if in.Regular {
		in.At = f
	}
	return f, nil
}

// openZip returns the trace in a zip archive, and another file as it is.
func (in *File) openZip(file *os.File) (io.Reader, error) {
	trace, size, err := FromZip(file)
	if err != nil || trace == nil {
		return file, err
	}
	in.At, in.Packed, in.content = nil, zipped, size
	in.closers = append(in.closers, func() { trace.Close() })
	return trace, nil
}

// suggestPacked adds the compressed file that exists to the error of opening a file.
func suggestPacked(name string, err error) error {
	for _, suffix := range []string{".zst", ".gz"} {
		if _, missing := os.Stat(name + suffix); errors.Is(err, fs.ErrNotExist) && missing == nil {
			return fmt.Errorf("%w; %s%s exists", err, name, suffix)
		}
	}
	return err
}

// measure notes the size of a regular file.
func (in *File) measure(f *os.File) fs.FileInfo {
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	if info.Mode().IsRegular() {
		in.Stored, in.Regular = info.Size(), true
	}
	return info
}

// unpack opens the uncompressed stream in source.
func (in *File) unpack(source io.Reader, how Options) error {
	src, err := library.NewSource(source, library.SourceOptions{ReadAhead: true})
	if err != nil {
		return Damaged("", err)
	}
	in.Plain = src
	if in.Packed != zipped {
		in.Packed = src.Compression().Compression
	}
	in.closers = append(in.closers, func() {
		if in.Regular {
			src.Close()
			return
		}
		go src.Close() // the source may never return from its current read
	})
	if strings.HasSuffix(in.Name, Summary) && in.Packed == "zstd" {
		return errors.New("a summary of traces, not a trace: nettrace top and nettrace report read it")
	}
	if how.Waiting == nil && (in.Regular || in.Packed == "") {
		in.Plain, in.GCDump, err = refuseForeign(in.Plain, how.GCDump)
	}
	return err
}
