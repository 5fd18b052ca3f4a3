package collect

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
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

// TestNextAfterEnd deletes no file when the recording has ended.
func TestNextAfterEnd(t *testing.T) {
	stop, end := context.WithCancel(t.Context())
	end()
	r := failing(t, &run.Program{}, stop)
	r.files, r.turns = []string{testfile.New(t, "x", nil)}, 1
	_, err := r.next()
	expect.ErrorIs(t, err, context.Canceled)
	_, err = os.Stat(r.files[0])
	expect.NoError(t, err)
}

// TestNextAtEnd: no warning if the next file cannot begin because the process
// has ended.
func TestNextAtEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stderr bytes.Buffer
		r := failing(t, &run.Program{Stderr: &stderr}, t.Context())
		r.a = &attach.Process{Title: "app"}
		old := &turn{plain: &plain{file: &traceFile{name: "old"}}, done: make(chan struct{})}
		time.AfterFunc(endPatience-1, func() { close(old.done) })
		expect.Equal(t, "a next file", r.nextOrEnd(old) != nil, false)
		expect.Equal(t, "stderr", stderr.String(), "")
	})
}

// TestLeft: each file begins with the rest of --duration.
func TestLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rotating{collecting: &collecting{o: &options{limit: 11 * time.Second}}, begun: time.Now()}
		time.Sleep(4 * time.Second)
		expect.Equal(t, "first file", r.left(), 11*time.Second)
		r.turns = 1
		expect.Equal(t, "second file", r.left(), 7*time.Second)
		r.o.limit = 0
		expect.Equal(t, "without --duration", r.left(), 0)
	})
}

// TestLastCause: a file that became full after the next one had begun is the
// last one.
func TestLastCause(t *testing.T) {
	for want, full := range map[error]bool{nil: false, errOutputFull: true} {
		c := &collecting{}
		c.stop, c.cease = context.WithCancelCause(t.Context())
		c.cease(errRotated)
		one := &turn{plain: &plain{recording: &recording{collecting: c, full: full}}}
		expect.Equal(t, "cause", one.lastCause(), want)
	}
}
