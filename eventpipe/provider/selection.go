package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// Selection is what is asked for. Nothing at all asks for [DefaultProfiles].
type Selection struct {
	Profiles  []string // names
	Providers []eventpipe.Provider
	// CLREvents are keywords of the runtime's provider ("gc+jit"), at the level
	// CLREventLevel ("" is informational). What Providers or Profiles say of that
	// provider stands instead.
	CLREvents     string
	CLREventLevel string
	Filters       []string // PROVIDER:+1,2 or PROVIDER:-80
}

// Resolved is what a session records.
type Resolved struct {
	Providers []eventpipe.Provider
	Origins   []string // what asked for each: "--providers", "--profile", "--clrevents"
	// Rundown is the keyword of the rundown that a profile asks for, 0 for the
	// usual one. Of a runtime that cannot choose it, RundownOptional lets it be
	// left out.
	Rundown         uint64
	RundownOptional bool
	Warnings        []string
}

// Resolve puts together what was asked for. A provider of Providers is as it
// says there, whatever a profile says; of one that is there twice the keywords
// are joined and the more verbose level counts.
func (s *Selection) Resolve() (*Resolved, error) {
	r := &Resolved{}
	for _, p := range s.Providers {
		if err := r.join(p, "--providers", 0); err != nil {
			return nil, err
		}
	}
	if err := s.profiles(r); err != nil {
		return nil, err
	}
	if err := s.clrEvents(r); err != nil {
		return nil, err
	}
	return r, s.filters(r)
}

// join adds a provider, or joins it with one of its name that stands at from or
// behind.
func (r *Resolved) join(p eventpipe.Provider, origin string, from int) error {
	i := r.find(p.Name)
	if i < 0 {
		r.Providers, r.Origins = append(r.Providers, p), append(r.Origins, origin)
		return nil
	}
	if i < from {
		return nil
	}
	known := &r.Providers[i]
	if known.Arguments != "" && p.Arguments != "" && known.Arguments != p.Arguments {
		return fmt.Errorf("provider %s is asked for twice, with other arguments", p.Name)
	}
	known.Arguments = max(known.Arguments, p.Arguments)
	known.Keywords |= p.Keywords
	if known.Level != 0 && p.Level != 0 {
		known.Level = max(known.Level, p.Level)
	} else {
		known.Level = 0 // LogAlways stands above all
	}
	return nil
}

func (r *Resolved) find(name string) int {
	return slices.IndexFunc(r.Providers, func(p eventpipe.Provider) bool { return strings.EqualFold(p.Name, name) })
}

// profiles adds the providers of profiles that nothing is said of yet.
func (s *Selection) profiles(r *Resolved) error {
	names, from := s.Profiles, len(r.Providers)
	if len(names) == 0 && from == 0 && s.CLREvents == "" {
		names = DefaultProfiles
	}
	usual := from > 0 || s.CLREvents != ""
	for _, name := range names {
		p, err := ProfileNamed(name)
		if err != nil {
			return err
		}
		for _, one := range p.Providers {
			if err := r.join(one, "--profile", from); err != nil {
				return err
			}
		}
		r.Rundown |= p.Rundown
		r.RundownOptional = r.RundownOptional || p.RundownOptional
		usual = usual || p.Rundown == 0
	}
	if usual { // others need the names
		r.Rundown, r.RundownOptional = 0, false
	}
	return nil
}

func (s *Selection) clrEvents(r *Resolved) error {
	if s.CLREvents == "" {
		return nil
	}
	mask, err := ParseRuntimeKeywords(s.CLREvents)
	if err != nil {
		return err
	}
	level := DefaultLevel
	if s.CLREventLevel != "" {
		if level, err = ParseLevel(s.CLREventLevel); err != nil {
			return err
		}
	}
	if i := r.find(Runtime); i >= 0 {
		r.Warnings = append(r.Warnings, "--clrevents says nothing: "+r.Origins[i]+" has "+Runtime)
		return nil
	}
	return r.join(eventpipe.Provider{Name: Runtime, Keywords: mask, Level: level}, "--clrevents", 0)
}

func (s *Selection) filters(r *Resolved) error {
	for _, text := range s.Filters {
		name, filter, err := ParseFilter(text)
		if err != nil {
			return err
		}
		i := r.find(name)
		if i < 0 {
			return fmt.Errorf("event filter %q: provider %s is not recorded", text, name)
		}
		known := r.Providers[i].Filter
		if known != nil && known.Deny != filter.Deny {
			return fmt.Errorf("event filter %q: provider %s has a filter of the other kind", text, name)
		}
		if known != nil {
			filter.IDs = append(slices.Clone(known.IDs), filter.IDs...)
		}
		r.Providers[i].Filter = filter
	}
	return nil
}

// NamesMethods says whether the session itself has an event for each method that
// is compiled while it runs. Such events are verbose.
func (r *Resolved) NamesMethods() bool {
	i := r.find(Runtime)
	return i >= 0 && r.Providers[i].Keywords&keywordJIT != 0 && r.Providers[i].Level >= 5
}
