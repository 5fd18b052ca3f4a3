package report

import (
	"context"
	"errors"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/summaryfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/chunks"
)

// checkWorkers returns an error for flags and files that one goroutine reads.
func (o *options) checkWorkers(files []string, page bool) error {
	if err := input.CheckWorkers(o.workers); err != nil || o.workers < 2 {
		return err
	}
	switch {
	case o.live.Given() > 0:
		return errors.New("--workers and --process-id exclude each other")
	case page:
		return errors.New("--workers excludes --format html")
	case slices.ContainsFunc(files, summaryfile.Is):
		return errors.New("--workers is for traces: one goroutine reads a summary")
	}
	return nil
}

// readChunks reads an input in several goroutines. It returns why one has to read
// it, "" if another reason is known: then reader is nil, and the parts have no events.
func (f *file) readChunks(ctx context.Context, in *input.File, opt analysis.Options, workers int) (why string) {
	if workers < 2 {
		return ""
	}
	at := in.Random()
	index := chunks.NewIndex(at, at.Size(), readerOptions())
	in.NextPass()
	switch {
	case index == nil:
		return ""
	case len(index.Chunks(codec.TimeRange{}, 1)) < 2:
		return "it has no sequence points between events"
	}
	var join *codec.ChunkJoin
	f.trace, join, f.err = analysis.ReadChunks(ctx, analysis.Chunks{Index: index, Size: at.Size(), Workers: workers}, opt)
	f.reader = join
	return ""
}

// noteOneWorker prints why one goroutine has read an input although --workers asks for more.
func noteOneWorker(p *run.Program, in *input.File, workers int, why string, header *codec.Trace) {
	switch {
	case workers > 1 && why != "":
		input.NoteOneWorker(p, in.Name, why)
	default:
		in.NoteOneWorker(p, workers, header)
	}
}
