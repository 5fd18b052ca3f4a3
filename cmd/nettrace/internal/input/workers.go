package input

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/chunks"
)

// AddWorkersFlag adds the flag --workers to a command, with a default: 0, or 1 where several
// goroutines gain little.
func AddWorkersFlag(cmd *cobra.Command, n *int, or int) {
	cmd.Flags().IntVar(n, "workers", or, "read with `N` goroutines; 0: one for each core if the file is uncompressed and has over 64 MiB")
}

// CheckWorkers returns an error for a value of --workers that is no number of
// goroutines.
func CheckWorkers(n int) error {
	if n < 0 {
		return errors.New("--workers: a number below 0")
	}
	return nil
}

// Workers returns the number of goroutines that read the file if n is the value of
// --workers.
func (in *File) Workers(n int) int {
	if n == 1 || n == 0 && in.Packed != "" || in.Random() == nil {
		return 1 // compressed: the index would decompress all of the file a second time
	}
	if n == 0 && in.Random().Size() > chunks.Large {
		return chunks.Workers(0)
	}
	return max(1, n)
}

// NoteOneWorker prints why one goroutine reads the file although --workers asks for
// more.
func (in *File) NoteOneWorker(p *run.Program, n int, t *codec.Trace) {
	if n < 2 {
		return
	}
	if why := in.WhyOneWorker(t); why != "" {
		NoteOneWorker(p, in.Name, why)
	}
}

const notFrames = "it is not compressed as zstd frames with sizes; "

// WhyOneWorker returns why only one goroutine can read the file, to follow "because". t is nil
// for a file that is no trace, which it returns "" for.
func (in *File) WhyOneWorker(t *codec.Trace) string {
	switch {
	case in.At == nil:
		return "it is not a regular file"
	case t != nil && !t.Format.HasSequenceNumbers():
		return chunks.WhyNone(t)
	case in.Random() == nil && t == nil: // it may be of version 3, which --preserve cannot write
		return notFrames + "\"nettrace convert\" writes such a file"
	case in.Random() == nil:
		return notFrames + "\"nettrace convert --preserve\" writes such a file"
	case t == nil:
		return ""
	}
	return chunks.WhyNone(t)
}

// NoteOneWorker prints why one goroutine reads a file although --workers asks for more.
func NoteOneWorker(p *run.Program, name, why string) {
	p.Complain("%v", FileError(name, errors.New("note: one goroutine reads it, not those of --workers, because "+why)))
}
