// Package output writes files: a file appears under its name when it is complete.
package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/klauspost/compress/gzip"
	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/internal/seekable"
)

// Stdout is the name of standard output for --output.
const Stdout = "-"

// Target is the file that a command writes, from its flags.
type Target struct {
	Name  string // of --output
	Force bool   // replace an existing file
	// Workers is the number of goroutines that make a .zst: one writes it, the others
	// compress. 0 and 1 are one goroutine; BySize is for Transform.
	Workers int
}

// BySize is a number of Workers: 2 if the input is uncompressed and has over 64 MiB, or else
// 1. With 3, the memory would be more than 1.5 times that of one.
const BySize = -1

// goroutines returns the number of goroutines for an input.
func (o *Target) goroutines(in *input.File) int {
	if o.Workers == BySize {
		return min(2, in.Workers(0))
	}
	return o.Workers
}

// IsZstd reports whether the file is a .zst, which several Workers compress.
func (o *Target) IsZstd() bool { return isZstd(o.Name) }

// isZstd reports whether the name of a file asks for zstd.
func isZstd(name string) bool { return strings.EqualFold(filepath.Ext(name), ".zst") }

// AddFlags adds the flags --output and --force.
func (o *Target) AddFlags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.Name, "output", "o", "", "write to `OUT`; - is standard output; .zst and .gz compress")
	cmd.Flags().BoolVar(&o.Force, "force", false, "replace OUT if it exists")
	_ = cmd.MarkFlagRequired("output")
}

// Shown returns the name of the output for messages.
func (o *Target) Shown() string {
	if o.Name == Stdout {
		return "the output"
	}
	return o.Name
}

// File is an output that is being written. A regular file has a temporary name in the same
// folder until Keep renames it.
type File struct {
	name   string // as the user gave it
	path   string // of the file that Keep creates or replaces; "" if no file is renamed
	force  bool
	file   *os.File // the temporary file, or a device; nil for standard output
	plain  io.Writer
	packer io.Closer // compresses, or nil
	failed error     // the first failed write

	interrupts *run.Interrupts
}

// Create opens an output. Its errors have an exit code. When the program is interrupted,
// the temporary file is removed.
func Create(p *run.Program, o *Target) (*File, error) {
	out := &File{name: o.Name, force: o.Force, interrupts: p.Interrupts}
	dst, err := sink(p, out)
	if err != nil {
		out.Discard()
		return nil, exit.With(exit.Usage, err)
	}
	if err := out.pack(dst, o.Workers); err != nil {
		out.Discard()
		return nil, exit.With(exit.Usage, err)
	}
	return out, nil
}

// sink opens standard output, a device, a pipe, or a temporary file in the folder of the
// output.
func sink(p *run.Program, out *File) (io.Writer, error) {
	if out.name == Stdout {
		if terminal.IsTerminal(p.Stdout) && !out.force {
			return nil, errors.New("--output -: standard output is a terminal (--force writes to it)")
		}
		return p.Stdout, nil
	}
	path, info, err := target(out.name)
	switch {
	case err != nil:
		return nil, err
	case info != nil && info.IsDir():
		return nil, &fs.PathError{Op: "write", Path: out.name, Err: syscall.EISDIR}
	case info != nil && !info.Mode().IsRegular():
		out.file, err = os.OpenFile(path, os.O_WRONLY, 0)
		return out.file, err
	case info != nil && !out.force:
		return nil, ExistsError(out.name)
	}
	out.path = path
	mode := fs.FileMode(0o666)
	if info != nil {
		mode = info.Mode().Perm() // of the file that is replaced
	}
	out.file, err = CreateTemporary(filepath.Dir(path), mode, out.interrupts)
	return out.file, out.named(err)
}

// named replaces the name of the temporary file in an error by the name of the output,
// which the user knows.
func (out *File) named(err error) error {
	var link *os.LinkError
	var path *fs.PathError
	switch {
	case out.path == "":
	case errors.As(err, &link):
		return &fs.PathError{Op: "write", Path: out.name, Err: link.Err}
	case errors.As(err, &path):
		return &fs.PathError{Op: "write", Path: out.name, Err: path.Err}
	}
	return err
}

// ExistsError returns the error for an output that exists.
func ExistsError(name string) error { return fmt.Errorf("%s exists (--force replaces it)", name) }

// target follows links and returns the path of a file and its FileInfo, nil if the file
// does not exist.
func target(name string) (string, fs.FileInfo, error) {
	if path, err := filepath.EvalSymlinks(name); err == nil {
		name = path
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return name, nil, nil
	}
	return name, info, err
}

// pack chooses the compression by the name. Several goroutines compress a .zst.
func (out *File) pack(sink io.Writer, workers int) error {
	switch {
	case isZstd(out.name):
		w, err := seekable.NewWriter(sink, workers)
		if err != nil {
			return err
		}
		out.plain, out.packer = w, w
	case strings.EqualFold(filepath.Ext(out.name), ".gz"):
		w := gzip.NewWriter(sink)
		out.plain, out.packer = w, w
	default:
		out.plain = sink
	}
	return nil
}

// Err returns the error of the first failed write.
func (out *File) Err() error { return out.failed }

// Write writes bytes, which are compressed if the name of the output asks for it.
func (out *File) Write(b []byte) (int, error) {
	if out.failed != nil {
		return 0, out.failed
	}
	n, err := out.plain.Write(b)
	out.failed = out.named(err)
	return n, out.failed
}

// Keep ends the output and renames it. After a failed write it removes the file. Its errors
// have an exit code.
func (out *File) Keep() error {
	err := out.failed
	if out.packer != nil && err == nil {
		err = out.named(out.packer.Close())
		out.packer = nil
	}
	if out.file != nil && err == nil {
		err = out.named(out.file.Close())
	}
	if out.path != "" && err == nil {
		err = out.rename()
	}
	if err != nil {
		out.Discard()
		if out.name == Stdout && exit.IsBrokenPipe(exit.WriteError(err)) {
			err = errors.New("the reader of standard output closed it before the end: the output is incomplete")
		}
		return exit.With(exit.Broken, err)
	}
	return nil
}

// rename gives the temporary file its final name. It fails if a file with this name was
// created in the meantime.
func (out *File) rename() error {
	if _, err := os.Lstat(out.path); err == nil && !out.force {
		return ExistsError(out.name)
	}
	return out.named(out.interrupts.Settle(func() error { return os.Rename(out.file.Name(), out.path) }, out.file.Name()))
}

// Discard ends the output and removes the file.
func (out *File) Discard() {
	if out.file != nil {
		out.file.Close()
		if out.path != "" {
			_ = out.interrupts.Settle(func() error { return os.Remove(out.file.Name()) }, out.file.Name())
		}
	}
}

// Transform runs a command that makes one trace, or a profile, from another. It keeps the
// output of work, also if the input is malformed, and then calls report to print that. If
// work returns an error, there is no output.
func Transform(p *run.Program, name string, o *Target, work func(in *input.File, out io.Writer) error, report func()) error {
	in, err := input.Open(p, name, input.Options{Silent: o.Name != Stdout, GCDump: true})
	if err != nil {
		return err
	}
	defer in.Close()
	to := *o
	to.Workers = o.goroutines(in)
	out, err := Create(p, &to)
	if err != nil {
		return err
	}
	if err := work(in, out); err != nil && out.failed == nil {
		out.Discard()
		return err
	}
	in.EndProgress()
	if err := out.Keep(); err != nil {
		return err
	}
	report()
	return nil
}
