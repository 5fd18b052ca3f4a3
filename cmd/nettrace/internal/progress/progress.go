// Package progress shows a progress bar on a terminal for reads that take long.
package progress

import (
	"io"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

const (
	progressAfter = time.Second            // work that takes less shows no bar
	progressEvery = 100 * time.Millisecond // the bar is told of progress
)

// Bar is a progress bar. A nil one shows nothing.
type Bar struct {
	to      io.Writer
	size    int64
	read    int64
	started time.Time
	told    time.Time
	bars    *mpb.Progress
	bar     *mpb.Bar
}

// New returns a bar on stderr, if that is a terminal, alone is true and the size of the
// work is known; otherwise nil.
func New(stderr io.Writer, size int64, alone bool) *Bar {
	if size <= 0 || !alone || !terminal.IsTerminal(stderr) {
		return nil
	}
	return &Bar{to: stderr, size: size, started: time.Now()}
}

// Watch returns a reader of src that moves the bar.
func (g *Bar) Watch(src io.Reader) io.Reader {
	if g == nil {
		return src
	}
	return &watched{src, g}
}

// WatchAt returns a reader of src at offsets that moves the bar.
func (g *Bar) WatchAt(src io.ReaderAt) io.ReaderAt {
	if g == nil {
		return src
	}
	return &watchedAt{src, g}
}

type watchedAt struct {
	src io.ReaderAt
	g   *Bar
}

func (w *watchedAt) ReadAt(b []byte, offset int64) (int, error) {
	n, err := w.src.ReadAt(b, offset)
	w.g.reach(offset+int64(n), time.Now())
	return n, err
}

type watched struct {
	src io.Reader
	g   *Bar
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.src.Read(b)
	w.g.reach(w.g.read+int64(n), time.Now())
	return n, err
}

// reach notes how far the source is read and shows the bar when it is time.
func (g *Bar) reach(offset int64, now time.Time) {
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

// Stop removes the bar.
func (g *Bar) Stop() {
	if g == nil || g.bar == nil {
		return
	}
	g.bar.Abort(true)
	g.bars.Wait()
	g.bar = nil
}
