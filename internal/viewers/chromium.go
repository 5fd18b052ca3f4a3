package viewers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Chromium is a file of the Trace Event Format in its object form.
type Chromium struct {
	TraceEvents     []ChromiumEvent   `json:"traceEvents"`
	DisplayTimeUnit string            `json:"displayTimeUnit"`
	OtherData       map[string]string `json:"otherData"`
}

// ChromiumEvent is one event of such a file.
type ChromiumEvent struct {
	Phase    string                     `json:"ph"`
	Name     string                     `json:"name"`
	Category string                     `json:"cat"`
	Process  *uint64                    `json:"pid"`
	Thread   *uint64                    `json:"tid"`
	Time     *json.Number               `json:"ts"`
	Scope    string                     `json:"s"`
	ID       string                     `json:"id"`
	Args     map[string]json.RawMessage `json:"args"`
}

// chromiumThread is a track of nested slices, with the open ones.
type chromiumThread struct {
	named, busy bool
	last        float64
	open        []string
}

// chromiumTracks is the state of reading a file.
type chromiumTracks struct {
	threads map[[2]uint64]*chromiumThread
	async   map[[2]string]int // open slices, by category and id
}

// ParseChromium reads a file and checks it by the rules of the Trace Event
// Format: every event has a known phase, a process, a thread and, but for
// metadata, a time; on each thread the times of B and E do not step back, each E
// ends the B opened last, and none is left open; b and e match by category and
// id; threads that have slices have a name.
func ParseChromium(data []byte) (*Chromium, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var f Chromium
	if err := d.Decode(&f); err != nil {
		return nil, err
	}
	if f.DisplayTimeUnit != "ms" && f.DisplayTimeUnit != "ns" {
		return nil, fmt.Errorf("displayTimeUnit is %q", f.DisplayTimeUnit)
	}
	t := chromiumTracks{map[[2]uint64]*chromiumThread{}, map[[2]string]int{}}
	for i := range f.TraceEvents {
		if err := t.event(&f.TraceEvents[i]); err != nil {
			return nil, fmt.Errorf("event %d: %w", i, err)
		}
	}
	return &f, t.finish()
}

func (t *chromiumTracks) event(e *ChromiumEvent) error {
	if e.Process == nil || e.Thread == nil || e.Name == "" && e.Phase != "E" {
		return fmt.Errorf("phase %q without process, thread or name", e.Phase)
	}
	key := [2]uint64{*e.Process, *e.Thread}
	if t.threads[key] == nil {
		t.threads[key] = &chromiumThread{}
	}
	if e.Phase == "M" {
		return t.threads[key].metadata(e)
	}
	if e.Time == nil {
		return fmt.Errorf("%s %q has no time", e.Phase, e.Name)
	}
	at, err := e.Time.Float64()
	if err != nil {
		return err
	}
	switch e.Phase {
	case "B", "E":
		return t.threads[key].slice(e, at)
	case "b", "e", "n":
		return t.asynchronous(e)
	case "i":
		if !slices.Contains([]string{"t", "p", "g"}, e.Scope) {
			return fmt.Errorf("instant %q of scope %q", e.Name, e.Scope)
		}
		return nil
	}
	return fmt.Errorf("phase %q", e.Phase)
}

func (t *chromiumThread) metadata(e *ChromiumEvent) error {
	var name string
	switch e.Name {
	case "thread_name", "process_name":
		if err := json.Unmarshal(e.Args["name"], &name); err != nil || name == "" {
			return fmt.Errorf("%s: name is %s", e.Name, e.Args["name"])
		}
		t.named = t.named || e.Name == "thread_name"
		return nil
	case "thread_sort_index", "process_sort_index", "process_labels":
		return nil
	}
	return fmt.Errorf("metadata %q", e.Name)
}

func (t *chromiumThread) slice(e *ChromiumEvent, at float64) error {
	if t.busy && at < t.last {
		return fmt.Errorf("%s %q at %s, after %f", e.Phase, e.Name, *e.Time, t.last)
	}
	t.busy, t.last = true, at
	if e.Phase == "B" {
		t.open = append(t.open, e.Name)
		return nil
	}
	last := len(t.open) - 1
	if last < 0 || e.Name != "" && e.Name != t.open[last] {
		return fmt.Errorf("end of %q, open are %q", e.Name, t.open)
	}
	t.open = t.open[:last]
	return nil
}

func (t *chromiumTracks) asynchronous(e *ChromiumEvent) error {
	key := [2]string{e.Category, e.ID}
	if e.Category == "" || e.ID == "" {
		return fmt.Errorf("%s %q without category or id", e.Phase, e.Name)
	}
	switch e.Phase {
	case "b":
		t.async[key]++
	case "e":
		t.async[key]--
	}
	if t.async[key] < 0 {
		return fmt.Errorf("e %q: none of category %q and id %s is open", e.Name, e.Category, e.ID)
	}
	return nil
}

func (t *chromiumTracks) finish() error {
	for key, thread := range t.threads {
		if len(thread.open) > 0 {
			return fmt.Errorf("process %d, thread %d: %q left open", key[0], key[1], thread.open)
		}
		if thread.busy && !thread.named {
			return fmt.Errorf("process %d, thread %d has no name", key[0], key[1])
		}
	}
	for key, open := range t.async {
		if open != 0 {
			return fmt.Errorf("%d of category %q and id %s left open", open, key[0], key[1])
		}
	}
	return nil
}
