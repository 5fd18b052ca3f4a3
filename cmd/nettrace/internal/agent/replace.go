package agent

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
)

// replace starts the new receivers and gives them the profiles from now on. It returns
// those that are not in the list any more, for retire. After an error the receivers
// before are still in use.
func (d *daemon) replace(c *config.Config, list, fresh []*receiver) (left []*receiver, err error) {
	for _, r := range d.handler.current() {
		if !slices.Contains(list, r) {
			left = append(left, r)
		}
	}
	var started []*receiver
	defer func() {
		if err != nil {
			stopAll(started) // they have no profiles
		}
	}()
	for _, r := range fresh {
		if withFolder(left, r.folder()) != nil {
			continue
		}
		if err = r.start(); err != nil {
			return nil, fmt.Errorf("target %s: %w", r.target.Name, err)
		}
		started = append(started, r)
	}
	return left, d.handler.hand(c, list, func() error { return takeOver(left, fresh) })
}

// takeOver starts the receivers that use the folder of one that is left, which stops
// before: its profiles wait in the folder. Another receiver gets the profiles that wait for
// one that is left with its name. After an error those that are left send again.
func takeOver(left, fresh []*receiver) (err error) {
	var halted, opened []*receiver
	for _, r := range fresh {
		old := withFolder(left, r.folder())
		if old == nil {
			continue
		}
		old.halt()
		halted = append(halted, old)
		if err = r.open(); err != nil {
			err = fmt.Errorf("target %s: %w", r.target.Name, err)
			opened = halted
			break
		}
		opened = append(opened, r)
	}
	for _, r := range opened {
		r.run()
	}
	if err != nil {
		return err
	}
	for _, r := range fresh {
		if old := withName(left, r.target.Name); old != nil && withFolder(left, r.folder()) == nil {
			old.halt()
			r.queue.Take(old.queue)
		}
	}
	return nil
}

// withName returns the receiver with a name, nil for none.
func withName(list []*receiver, name string) *receiver {
	for _, r := range list {
		if r.target.Name == name {
			return r
		}
	}
	return nil
}

// withFolder returns the receiver whose queue is in a folder, nil for none.
func withFolder(list []*receiver, folder string) *receiver {
	for _, r := range list {
		if folder != "" && r.folder() == folder {
			return r
		}
	}
	return nil
}

// retire stops receivers that get no profiles any more, and counts what they dropped. It
// prints which profiles stay in a folder that no receiver uses now.
func (d *daemon) retire(left []*receiver) {
	stopAll(left)
	for _, r := range left {
		for _, line := range r.changes() {
			d.say("%s", line)
		}
		n := r.queue.Stats().Waiting
		if n > 0 && withFolder(d.handler.current(), r.folder()) == nil {
			d.say("target %s: %s left in %s until the configuration has this target again", r.target.Name, display.Counted(int64(n), "profile"), r.folder())
		}
		d.handler.retire(r)
	}
}

// stopAll stops receivers, which send what is left for a time.
func stopAll(list []*receiver) {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	var stopping sync.WaitGroup
	for _, r := range list {
		stopping.Go(func() { r.stop(ctx) })
	}
	stopping.Wait()
}
