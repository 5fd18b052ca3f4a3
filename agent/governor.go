package agent

import (
	"context"
	"sync/atomic"
	"time"
)

// governor lengthens the pauses between samples when the agent uses more
// processor time than it may.
type governor struct {
	max     float64              // share of one processor; 0: no bound
	used    func() time.Duration // processor time of this process so far
	spacing atomic.Int64         // samples are taken in each window with a multiple of it
}

// maxSpacing bounds the pauses.
const maxSpacing = 64

func newGovernor(max float64) *governor {
	g := &governor{max: max, used: processorTime}
	g.spacing.Store(1)
	return g
}

// allows reports whether samples are taken in a window, by its number from 1.
func (g *governor) allows(window int) bool { return (int64(window)-1)%g.spacing.Load() == 0 }

// run measures once in each window until ctx ends.
func (g *governor) run(ctx context.Context, every time.Duration) {
	if g.max <= 0 {
		return
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	last := g.used()
	for {
		select {
		case <-tick.C:
			now := g.used()
			g.adjust(float64(now-last) / float64(every))
			last = now
		case <-ctx.Done():
			return
		}
	}
}

// adjust doubles the pauses above the bound, and halves them below a third of it.
func (g *governor) adjust(share float64) {
	switch spacing := g.spacing.Load(); {
	case share > g.max:
		g.spacing.Store(min(2*spacing, maxSpacing))
	case share < g.max/3:
		g.spacing.Store(max(spacing/2, 1))
	}
}
