package main

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
	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"
)

// stdoutName is the name of standard output for --output.
const stdoutName = "-"

// outputOptions are the flags of every verb that writes a trace.
type outputOptions struct {
	name  string
	force bool
}

func (o *outputOptions) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.name, "output", "o", "", "write to `OUT`; - is standard output, .zst and .gz are compressed")
	cmd.Flags().BoolVar(&o.force, "force", false, "replace OUT if it exists")
	_ = cmd.MarkFlagRequired("output")
}

// output is a file that is being written. A regular file appears under its name
// when it is kept, whole; until then it lies beside it under another name.
type output struct {
	name   string // as the user gave it
	path   string // of the file that will be replaced, "" when there is none to rename
	force  bool
	file   *os.File // the temporary file, or a device; nil for standard output
	plain  io.Writer
	packer io.Closer // compresses, or nil
	failed error     // the first failed write

	interrupts *interrupts
}

// create opens an output. Its errors carry the exit code. When the program is
// interrupted, the temporary file is removed.
func (p *program) create(o *outputOptions) (*output, error) {
	out := &output{name: o.name, force: o.force, interrupts: p.interrupts}
	sink, err := p.sink(out)
	if err != nil {
		out.discard()
		return nil, exitWith(exitUsage, err)
	}
	if err := out.pack(sink); err != nil {
		out.discard()
		return nil, exitWith(exitUsage, err)
	}
	return out, nil
}

// sink opens what takes the bytes: standard output, a device or a pipe as it
// is, or a temporary file beside the one that is asked for.
func (p *program) sink(out *output) (io.Writer, error) {
	if out.name == stdoutName {
		if isTerminal(p.stdout) && !out.force {
			return nil, errors.New("--output -: standard output is a terminal (--force writes to it)")
		}
		return p.stdout, nil
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
		return nil, existsError(out.name)
	}
	out.path = path
	out.file, err = out.createBeside(path, info)
	return out.file, out.named(err)
}

// named returns an error about the temporary file as one about the file that is
// asked for, whose name the user knows.
func (out *output) named(err error) error {
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

func existsError(name string) error { return fmt.Errorf("%s exists (--force replaces it)", name) }

// target is the file that a name stands for, behind links, and what is known of
// it; nil when it does not exist.
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

// createBeside makes a new file in the folder of path, with the rights of the
// file that it will replace, or of one that is new.
func (out *output) createBeside(path string, old fs.FileInfo) (*os.File, error) {
	const attempts = 1000
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = old.Mode().Perm()
	}
	for i := 0; ; i++ {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".nettrace-%d-%d.tmp", os.Getpid(), i))
		var f *os.File
		err := out.interrupts.create(name, func() (err error) {
			f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
			return err
		})
		if !errors.Is(err, fs.ErrExist) || i == attempts {
			return f, err
		}
	}
}

// pack chooses what compresses, by the name.
func (out *output) pack(sink io.Writer) error {
	switch strings.ToLower(filepath.Ext(out.name)) {
	case ".zst":
		w, err := zstd.NewWriter(sink, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		out.plain, out.packer = w, w
	case ".gz":
		w := gzip.NewWriter(sink)
		out.plain, out.packer = w, w
	default:
		out.plain = sink
	}
	return nil
}

// failure returns the error of the first failed write.
func (out *output) failure() error { return out.failed }

// Write takes plain bytes.
func (out *output) Write(b []byte) (int, error) {
	if out.failed != nil {
		return 0, out.failed
	}
	n, err := out.plain.Write(b)
	out.failed = out.named(err)
	return n, out.failed
}

// keep ends the output and puts it under its name. After a failed write it
// leaves nothing behind. Its trouble is a *failure.
func (out *output) keep() error {
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
		out.discard()
		if out.name == stdoutName && isBrokenPipe(writeFailure(err)) {
			err = errors.New("the reader of standard output closed it before the end: the output is incomplete")
		}
		return exitWith(exitBroken, err)
	}
	return nil
}

// rename puts the temporary file in its place, where none may have appeared in
// the meantime.
func (out *output) rename() error {
	if _, err := os.Lstat(out.path); err == nil && !out.force {
		return existsError(out.name)
	}
	return out.named(out.interrupts.settle(out.file.Name(), func() error { return os.Rename(out.file.Name(), out.path) }))
}

// discard ends the output and leaves nothing behind.
func (out *output) discard() {
	if out.file != nil {
		out.file.Close()
		if out.path != "" {
			_ = out.interrupts.settle(out.file.Name(), func() error { return os.Remove(out.file.Name()) })
		}
	}
}

// transform runs a verb that makes one trace of another. What work writes is
// kept, also of an input that is broken: that is no error of work, and tell
// says it. An error of work leaves no output behind.
func (p *program) transform(name string, o *outputOptions, work func(in io.Reader, out io.Writer) error, tell func()) error {
	in, err := p.open(name, opening{silent: o.name != stdoutName})
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := p.create(o)
	if err != nil {
		return err
	}
	if err := work(in, out); err != nil && out.failed == nil {
		out.discard()
		return err
	}
	in.endProgress()
	if err := out.keep(); err != nil {
		return err
	}
	tell()
	return nil
}
