package top

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/interactive"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/profile"
)

// bindings returns the keys of the page.
func (s *screen) bindings() []interactive.Binding {
	return []interactive.Binding{
		{Keys: []string{"<", ">"}, Help: "sort by the other column (--sort)", Do: s.nextSort},
		{Keys: []string{"y"}, Help: "", Do: func() { s.nextType(1) }},
		{Keys: []string{"Y"}, Help: "next or previous type of samples, which begins another session (--type)", Do: func() { s.nextType(-1) }},
		{Keys: []string{"s"}, Help: "", Do: func() { s.nextState(1) }},
		{Keys: []string{"S"}, Help: "next or previous state of threads (--state)", Do: func() { s.nextState(-1) }},
		{Keys: []string{"t"}, Help: "only threads with these ids or ranges; empty: all (--thread)", Do: func() { s.askList("thread") }},
		{Keys: []string{"f"}, Help: "only samples with a frame that a REGEXP matches; empty: all (--focus)", Do: func() { s.askList("focus") }},
		{Keys: []string{"b"}, Help: "", Do: func() { s.nextBy(1) }},
		{Keys: []string{"B"}, Help: "next or previous subject of rows: method, type, module, thread, class (--by)", Do: func() { s.nextBy(-1) }},
		{Keys: []string{"H"}, Help: "rows of threads, and back (--by thread)", Do: s.toggleThreads},
		{Keys: []string{"v"}, Help: "next view: rows, calls from root, calls from leaf (--tree, --bottom-up)", Do: s.nextView},
		{Keys: []string{"m"}, Help: "leave out the frames of .NET, or show them (--just-my-code)", Do: func() { s.toggle("just-my-code") }},
		{Keys: []string{"="}, Help: "remove the filters of rows, threads, states and frames", Do: s.removeFilters},
	}
}

// next returns the element that is n places after the one in a list.
func next(list []string, one string, n int) string {
	return list[(slices.Index(list, one)+n+len(list))%len(list)]
}

// nextSort sorts by the other column.
func (s *screen) nextSort() {
	if s.o.isTree() {
		s.page.Say("calls are sorted by their total: v shows rows")
		return
	}
	s.o.sort = next(topSorts, s.o.sort, 1)
	s.shown.o.sort = s.o.sort
	if s.shown.data != nil {
		s.shown.data.sort(s.o.sort)
	}
}

// nextType shows another type of samples. The states of --state are only those of two types.
func (s *screen) nextType(n int) {
	before := s.o.liveType()
	s.o.Kind = next(s.o.liveTypeNames(), s.o.liveType().name, n)
	if s.o.Kind == liveTypes[0].name {
		s.o.Kind = "" // so that the states are the default ones
	}
	s.o.Providers = nil
	if s.o.Kind == typeEvent {
		s.o.Kind = ""
		for _, p := range s.o.live.providers {
			s.o.Providers = append(s.o.Providers, p.Name)
		}
	}
	s.replace("state")
	if after := s.o.liveType(); s.page.Paused && !before.records(&after) {
		s.page.Paused = false
		s.page.Say("continued: --type %s needs another session", after.name)
	}
	s.request()
}

// sampled reports whether the samples that are shown have states.
func (s *screen) sampled() bool {
	return samples.Sampled(profile.TypesByName(s.o.liveType().name)[0])
}

// nextState shows the threads in another state: first those of the default, then all, then
// each alone.
func (s *screen) nextState(n int) {
	if !s.sampled() {
		s.page.Say("only samples of --type wall and cpu have a state")
		return
	}
	var all []string
	for _, state := range profile.States() {
		all = append(all, state.String())
	}
	choices := append([]string{"", strings.Join(all, ",")}, all...)
	state := next(choices, strings.Join(s.list("state"), ","), n)
	if state == "" {
		s.replace("state")
	} else {
		s.replace("state", strings.Split(state, ",")...)
	}
	s.request()
}

// replace replaces the values of a flag.
func (s *screen) replace(flag string, values ...string) {
	_ = s.flags.Lookup(flag).Value.(pflag.SliceValue).Replace(values) // these values have no error
}

// askList lets the user edit the values of a flag.
func (s *screen) askList(flag string) {
	before := s.list(flag)
	s.page.Ask("--"+flag+" ", strings.Join(before, ","), func(text string) error {
		var values []string
		if text = strings.TrimSpace(text); text != "" {
			values = strings.Split(text, ",")
		}
		s.replace(flag, values...)
		if err := s.o.Check(); err != nil {
			s.replace(flag, before...)
			return err
		}
		s.request()
		return nil
	})
}

// nextBy shows other rows.
func (s *screen) nextBy(n int) {
	var names []string
	for _, name := range topKeyNames() {
		if name != "process" && name != "source" && name != "line" && !slices.Contains(requestKeys, name) { // there is one; the others need --by
			names = append(names, name)
		}
	}
	s.setBy(next(names, s.o.by, n))
}

// setBy shows the rows of a key of --by. Trees have no rows of threads or classes.
func (s *screen) setBy(name string) {
	s.o.by = name
	if s.o.flat() {
		s.setView(false, false)
	}
	s.request()
}

// toggleThreads shows rows of threads, or of methods.
func (s *screen) toggleThreads() {
	if s.o.by == "thread" {
		s.setBy("method")
		return
	}
	s.setBy("thread")
}

// nextView shows rows, calls from the root, or calls from the leaf.
func (s *screen) nextView() {
	if s.o.flat() {
		s.o.by = "method"
	}
	s.setView(!s.o.isTree(), s.o.tree)
	s.request()
}

// setView sets the flags of trees.
func (s *screen) setView(tree, bottomUp bool) {
	s.o.tree, s.o.bottomUp, s.o.callers, s.o.callees = tree, bottomUp, "", ""
	s.o.view = callView{bottomUp: bottomUp}
}

// toggle changes a flag that is true or false.
func (s *screen) toggle(flag string) {
	value := "true"
	if s.flags.Lookup(flag).Value.String() == value {
		value = "false"
	}
	_ = s.flags.Set(flag, value) // true and false are no error
	s.request()
}

// removeFilters shows all samples and rows.
func (s *screen) removeFilters() {
	s.page.Filter = nil
	for _, flag := range filterLists {
		s.replace(flag)
	}
	_ = s.flags.Set("group", "")             // no error
	_ = s.flags.Set("just-my-code", "false") // no error
	s.request()
}
