package eventpipe

import (
	"context"
	"fmt"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Selector chooses processes. A process must match every field that is set; the
// zero value chooses all.
type Selector struct {
	// PID is the number of a process in the caller's namespace.
	PID int
	// Process is a process that the caller has found: this one, and no later one with its PID.
	Process *Process
	// Name is a pattern of path.Match for the name of the program or of its entry
	// assembly: "shop" matches "dotnet shop.dll".
	Name string
	// CommandLine matches a part of the program and its arguments, which are
	// separated by spaces.
	CommandLine *regexp.Regexp
	// Environment has variables that the process had at its start, with their
	// values. Only Linux reports them.
	Environment map[string]string
	// Container is the id of a container, or the beginning of it.
	Container string
	// Pod is the uid of a Kubernetes pod.
	Pod string
}

// Matches reports whether the Selector chooses a process. A malformed pattern
// matches none; Watch returns its error.
func (s *Selector) Matches(p *Process) bool {
	return (s.PID == 0 || p.PID == s.PID) && (s.Process == nil || keyOf(p) == keyOf(s.Process)) &&
		s.matchesName(p) && s.matchesEnvironment(p) &&
		(s.CommandLine == nil || s.CommandLine.MatchString(strings.Join(p.CommandLine, " "))) &&
		(s.Container == "" || strings.HasPrefix(p.Container, s.Container)) &&
		(s.Pod == "" || p.Pod == s.Pod)
}

// isOne reports whether the Selector has one process, which has no successor.
func (s *Selector) isOne() bool { return s.PID != 0 || s.Process != nil }

func (s *Selector) matchesName(p *Process) bool {
	if s.Name == "" {
		return true
	}
	for _, name := range []string{p.Name, p.assembly()} {
		if matches, err := path.Match(s.Name, name); err == nil && matches && name != "" {
			return true
		}
	}
	return false
}

func (s *Selector) matchesEnvironment(p *Process) bool {
	for name, value := range s.Environment {
		if !slices.Contains(p.environ, name+"="+value) {
			return false
		}
	}
	return true
}

// Change is a process that has come or gone.
type Change struct {
	// Process is the process.
	Process Process
	// Gone is false for a process that can be reached now, and true for one that
	// has ended or closed its port.
	Gone bool
}

// watchEvery is the time between two looks at the processes.
const watchEvery = time.Second

// Watch yields the processes that a Selector chooses: first those that are
// running, then each that starts, within about a second, and each of them that
// ends. A program that is started again is another process, also with the same
// PID. A process that was yielded accepts connections; a suspended one too.
//
// Watch ends when ctx is done, and after a process that the Selector has by its PID or as a
// Process has ended: it looks at that one only. If there is no process with that PID, the error is
// an [*UnreachableError].
//
// It looks at all processes once a second and opens
// no connection. On Linux it reads most files of a process again only after the process
// has executed another program or opened its port, and every 30 s. A process that has been
// running one program for five seconds, and then executes another one with another temporary
// folder, is yielded within about three seconds. An error of the Selector is the last value, and
// so is one of the system's list of processes, at once if it is the first list, otherwise if the
// list could not be read for ten seconds.
//
// On Linux, unlike [Processes], Watch does not yield a process in another PID namespace of which
// only the port is visible here, in a shared temporary folder.
func Watch(ctx context.Context, s Selector) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		if _, err := path.Match(s.Name, ""); err != nil {
			yield(Change{}, fmt.Errorf("eventpipe: name %q: %w", s.Name, err))
			return
		}
		w := watcher{selector: s, known: map[processKey]Process{}}
		switch {
		case s.Process != nil:
			w.watch(ctx, func() ([]Process, error) { return s.Process.alone(), nil }, yield)
		case s.PID != 0:
			w.watch(ctx, w.withPID, yield)
		default:
			l := newLister()
			w.watch(ctx, l.ports, yield)
		}
	}
}

// processKey identifies one life of a process: the name of its port has the time
// of its start.
type processKey struct {
	pid     int
	address string
}

func keyOf(p *Process) processKey { return processKey{p.PID, p.Address} }

// withPID lists the process with the PID of the Selector.
func (w *watcher) withPID() ([]Process, error) {
	p := look(w.selector.PID)
	if unreachable(p.Err, NoProcess) && len(w.known) == 0 {
		return nil, p.Err
	}
	if p.Err != nil || isGone(p.PID) {
		return nil, nil
	}
	return []Process{p}, nil
}

// alone lists the process if it has not ended. One that was found by other means than Find and
// Processes has its port elsewhere.
func (p *Process) alone() []Process {
	found := p.PID != 0 && look(p.PID).Address == p.Address || hasPort(p.Address)
	if !found || p.PID != 0 && isGone(p.PID) {
		return nil
	}
	return []Process{*p}
}

// watcher compares lists of processes.
type watcher struct {
	selector Selector
	known    map[processKey]Process
}

// maxMisses is how many lists in a row may be missing, for example while no file descriptor is
// free.
const maxMisses = 10

// watch is Watch with a function that lists the processes.
func (w *watcher) watch(ctx context.Context, ports func() ([]Process, error), yield func(Change, error) bool) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for misses := maxMisses; ctx.Err() == nil; {
		list, err := ports()
		switch {
		case err == nil:
			misses = 0
			for _, change := range w.look(list) {
				if !yield(change, nil) || change.Gone && w.selector.isOne() {
					return
				}
			}
		case misses == maxMisses:
			yield(Change{}, err)
			return
		default:
			misses++
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// look returns the changes since the last list, first those that are gone, by PID.
func (w *watcher) look(list []Process) []Change {
	var changes []Change
	present := map[processKey]bool{}
	for i := range list {
		p := &list[i]
		key := keyOf(p)
		if _, known := w.known[key]; !known && !w.selector.Matches(p) {
			continue
		}
		present[key] = true
		if _, known := w.known[key]; !known {
			w.known[key] = *p
			changes = append(changes, Change{Process: *p})
		}
	}
	for key, p := range w.known {
		if !present[key] {
			delete(w.known, key)
			changes = append(changes, Change{Process: p, Gone: true})
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int {
		if a.Gone != b.Gone {
			if a.Gone {
				return -1
			}
			return 1
		}
		return a.Process.PID - b.Process.PID
	})
	return changes
}
