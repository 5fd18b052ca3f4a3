package agent

import (
	"context"
	"iter"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// Profile yields profiles of one kind of a process, one for each window of a length, soon after its
// end, until ctx or the process ends. The values of samples are scaled to the window, of which
// Window.Share was sampled. A window without samples is left out. An error that is a *ProcessError is
// followed by others; the last value is an error that says what ended it: the cause of ctx,
// eventpipe.ErrProcessEnded, or another one of [Run].
func Profile(ctx context.Context, p *eventpipe.Process, kind Kind, every time.Duration) iter.Seq2[*Window, error] {
	return func(yield func(*Window, error) bool) {
		opt := Options{Selectors: []eventpipe.Selector{{Process: p}}, Kinds: []Kind{kind}, Every: every, Scaled: true}
		for w, err := range Windows(ctx, opt) {
			if !yield(w, err) {
				return
			}
		}
		if ctx.Err() != nil {
			yield(nil, context.Cause(ctx))
		}
	}
}
