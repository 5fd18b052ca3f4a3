package main

import (
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

const (
	progressAfter = time.Second            // work that takes less shows no bar
	progressEvery = 100 * time.Millisecond // the bar is told of progress
)

// progress is a bar for work that takes long. A nil one shows nothing.
type progress struct {
	to      io.Writer
	size    int64
	read    int64
	started time.Time
	told    time.Time
	bars    *mpb.Progress
	bar     *mpb.Bar
}

// newProgress returns a bar on stderr, if that is a terminal of its own and the
// size of the work is known.
func newProgress(stderr io.Writer, size int64, alone bool) *progress {
	if size <= 0 || !alone || !isTerminal(stderr) {
		return nil
	}
	return &progress{to: stderr, size: size, started: time.Now()}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// watch returns a reader that tells the bar how far src is read.
func (g *progress) watch(src io.Reader) io.Reader {
	if g == nil {
		return src
	}
	return &watched{src, g}
}

// watchAt is watch for reads at places.
func (g *progress) watchAt(src io.ReaderAt) io.ReaderAt {
	if g == nil {
		return src
	}
	return &watchedAt{src, g}
}

type watchedAt struct {
	src io.ReaderAt
	g   *progress
}

func (w *watchedAt) ReadAt(b []byte, offset int64) (int, error) {
	n, err := w.src.ReadAt(b, offset)
	w.g.reach(offset+int64(n), time.Now())
	return n, err
}

type watched struct {
	src io.Reader
	g   *progress
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.src.Read(b)
	w.g.reach(w.g.read+int64(n), time.Now())
	return n, err
}

// reach notes how far the source is read and shows the bar when it is time.
func (g *progress) reach(offset int64, now time.Time) {
	g.read = offset
	if now.Sub(g.started) < progressAfter || now.Sub(g.told) < progressEvery {
		return
	}
	g.told = now
	if g.bar == nil {
		g.bars = mpb.New(mpb.WithOutput(g.to), mpb.WithAutoRefresh(), mpb.WithWidth(40))
		g.bar = g.bars.AddBar(g.size,
			mpb.PrependDecorators(decor.CountersKibiByte("% .1f / % .1f ")),
			mpb.AppendDecorators(decor.Percentage()), mpb.BarRemoveOnComplete())
	}
	g.bar.SetCurrent(min(g.read, g.size-1))
}

// stop takes the bar away.
func (g *progress) stop() {
	if g == nil || g.bar == nil {
		return
	}
	g.bar.Abort(true)
	g.bars.Wait()
	g.bar = nil
}
