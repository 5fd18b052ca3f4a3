package progress

import "io"

// Watch returns a reader of src whose bytes advance the bar.
func (g *Bar) Watch(src io.Reader) io.Reader {
	if g == nil {
		return src
	}
	return &watched{src, g}
}

type watched struct {
	src io.Reader
	bar *Bar
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.src.Read(b)
	w.bar.Advance(int64(n), "")
	return n, err
}

// WatchAt returns a reader of src that moves the bar forward to the end of what it read, of
// the current pass.
func (g *Bar) WatchAt(src io.ReaderAt) io.ReaderAt {
	if g == nil {
		return src
	}
	return &watchedAt{src, g}
}

type watchedAt struct {
	src io.ReaderAt
	bar *Bar
}

func (w *watchedAt) ReadAt(b []byte, offset int64) (int, error) {
	n, err := w.src.ReadAt(b, offset)
	w.bar.on.mu.Lock()
	defer w.bar.on.mu.Unlock()
	if !w.bar.held {
		w.bar.reach(max(w.bar.done, w.bar.begin+offset+int64(n)))
	}
	return n, err
}
