package collect

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// countedContext counts the contexts that derive from it and are not cancelled.
type countedContext struct {
	context.Context
	never chan struct{}
	open  atomic.Int32
}

func (c *countedContext) Done() <-chan struct{} { return c.never }

func (c *countedContext) AfterFunc(func()) (stop func() bool) {
	c.open.Add(1)
	return func() bool { c.open.Add(-1); return true }
}

// failing returns a rotation whose next file cannot begin: the oldest file is a
// folder that is not empty.
func failing(t *testing.T, p *run.Program, stop context.Context) *rotating {
	t.Helper()
	oldest := filepath.Dir(testfile.New(t, "x", nil))
	return &rotating{collecting: &collecting{p: p, o: &options{rotation: rotation{keep: 1}}, stop: stop}, files: []string{oldest}}
}

// TestNextFails leaves no context of a file that could not begin.
func TestNextFails(t *testing.T) {
	stop := &countedContext{Context: context.Background(), never: make(chan struct{})}
	_, err := failing(t, &run.Program{}, stop).next()
	expect.Equal(t, "an error", err != nil, true)
	expect.Equal(t, "contexts", stop.open.Load(), 0)
}
