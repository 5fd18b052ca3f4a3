package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/agent/files"
	"github.com/nettrace-go/nettrace/agent/pyroscope"
)

// receiver is a target of the configuration with its queue.
type receiver struct {
	target config.Target
	limits config.Queue
	to     delivery.Target
	queue  *delivery.Queue
	cancel context.CancelFunc
	done   chan struct{}
	client *delivery.Client // nil for files

	reported delivery.Stats // what was printed
}

// remoteTargets are the types of targets that are servers, without those of a Variant.
var remoteTargets = map[string]func(*delivery.Client) delivery.Target{
	config.Pyroscope:       func(c *delivery.Client) delivery.Target { return pyroscope.Push{Client: c} },
	config.PyroscopeIngest: func(c *delivery.Client) delivery.Target { return pyroscope.Ingest{Client: c} },
}

// newReceiver returns the receiver of a target, beside others that are in use. It starts
// nothing.
func (v *Variant) newReceiver(t config.Target, limits config.Queue, others []*receiver) (*receiver, error) {
	r := &receiver{target: t, limits: limits}
	if t.Type == config.Files {
		folder, err := openFolder(t, others)
		if err != nil {
			return nil, fmt.Errorf("target %s: %w", t.Name, err)
		}
		r.to = folder
		return r, r.checkFolder()
	}
	var err error
	if r.client, err = delivery.NewClient(t); err != nil {
		return nil, err
	}
	target, ok := v.Targets[t.Type]
	if !ok {
		target = remoteTargets[t.Type]
	}
	r.to = target(r.client)
	return r, r.checkFolder()
}

// openFolder returns the folder of a target. One that another receiver uses is shared: that
// receiver can still write what is in its queue when the new one counts the files.
func openFolder(t config.Target, others []*receiver) (*files.Folder, error) {
	opt := files.Options{MaxBytes: int64(t.MaxBytes), MaxFiles: t.MaxFiles}
	for _, other := range others {
		if folder, ok := other.to.(*files.Folder); ok && folder.IsAt(t.Path) {
			return folder.With(opt), nil
		}
	}
	return files.Open(t.Path, opt)
}

// checkFolder creates the folder of the queue, so that start does not fail.
func (r *receiver) checkFolder() error {
	if r.limits.Path == "" {
		return nil
	}
	return os.MkdirAll(r.folder(), 0o700)
}

// folder is the folder of the queue, "" for a queue in memory.
func (r *receiver) folder() string {
	if r.limits.Path == "" {
		return ""
	}
	return filepath.Join(r.limits.Path, r.target.Name)
}

// same reports whether the receiver is the one of a target, so that it can go on.
func (r *receiver) same(t config.Target, limits config.Queue) bool {
	return reflect.DeepEqual(r.target, t) && r.limits == limits
}

// start opens the queue and begins to send.
func (r *receiver) start() error {
	if err := r.open(); err != nil {
		return err
	}
	r.run()
	return nil
}

// open opens the queue.
func (r *receiver) open() (err error) {
	r.queue, err = delivery.New(r.to, delivery.Options{
		MaxBytes: int64(r.limits.MaxBytes), Dir: r.folder(),
		MinBackoff: time.Duration(r.target.MinBackoff), MaxBackoff: time.Duration(r.target.MaxBackoff),
	})
	return err
}

// run sends what is in the queue until halt.
func (r *receiver) run() {
	var ctx context.Context
	ctx, r.cancel = context.WithCancel(context.Background())
	r.done = make(chan struct{})
	go func(done chan<- struct{}) {
		defer close(done)
		r.queue.Run(ctx)
	}(r.done)
}

// halt ends sending. What is left stays in the queue.
func (r *receiver) halt() {
	r.cancel()
	<-r.done
}

// stop sends what is left until ctx ends. Another receiver sends it if that has taken it
// over: then this one is halted.
func (r *receiver) stop(ctx context.Context) {
	halted := r.isHalted()
	r.halt()
	if !halted {
		r.queue.Drain(ctx)
	}
	if r.client != nil {
		r.client.Close()
	}
}

func (r *receiver) isHalted() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// changes returns what changed since the last call and is worth a line: the target
// began to fail, or fails for another reason, it accepts again, with a warning, or
// items were dropped.
func (r *receiver) changes() (lines []string) {
	now := r.queue.Stats()
	last := r.reported
	r.reported = now
	switch {
	case now.LastError != nil && (last.LastError == nil || statusOf(now.LastError) != statusOf(last.LastError)):
		lines = append(lines, fmt.Sprintf("target %s: %v; %d profiles wait", r.target.Name, now.LastError, now.Waiting))
	case now.LastError == nil && last.LastError != nil:
		lines = append(lines, fmt.Sprintf("target %s accepts profiles again", r.target.Name))
	}
	if now.Warning != last.Warning {
		lines = append(lines, fmt.Sprintf("target %s accepts profiles with a warning: %s", r.target.Name, now.Warning))
	}
	for reason, n := range now.Dropped {
		if added := n - last.Dropped[reason]; added > 0 {
			lines = append(lines, fmt.Sprintf("target %s: %d profiles were dropped: %s", r.target.Name, added, reason))
		}
	}
	return lines
}

// statusOf returns the status of an answer, 0 for an error of another kind.
func statusOf(err error) int {
	var refused *delivery.StatusError
	if errors.As(err, &refused) {
		return refused.Status
	}
	return 0
}
