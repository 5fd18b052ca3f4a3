package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// Selection has the user's options. The zero value selects [DefaultProfiles].
type Selection struct {
	Profiles []string // names of Profiles
	// Providers override the providers of the same name in Profiles and
	// CLREvents.
	Providers []eventpipe.Provider
	// CLREvents are keyword names of the provider [Runtime], such as "gc+jit".
	// They have no effect if Providers or Profiles have that provider.
	CLREvents string
	// CLREventLevel is the level of CLREvents, a name or a number, as in Parse. Empty means
	// informational.
	CLREventLevel string
	Filters       []string // see ParseFilter: PROVIDER:+1,2 or PROVIDER:-80
}

// Resolved is the configuration of a session that a Selection results in.
type Resolved struct {
	// Providers are the providers to record, each once.
	Providers []eventpipe.Provider
	Origins   []string // the option that selected each of Providers: "--providers", "--profile", "--clrevents"
	// Rundown is the keyword of the rundown that the profiles request. 0 means
	// the default.
	Rundown uint64
	// RundownOptional allows a session without rundown on a runtime that is too
	// old to choose its keyword.
	RundownOptional bool
	// Defaults reports that the Selection had no provider and no profile: Providers are those of
	// DefaultProfiles.
	Defaults bool
	// Warnings name the options that have no effect.
	Warnings []string
}

// Resolve combines the options. A provider of s.Providers overrides that of a
// profile. Of a provider that occurs twice, Resolve combines the keywords and
// takes the more verbose level; different arguments are an error, except the
// FilterAndPayloadSpecs of [Diagnostics], which it combines. A filter of a provider that
// is not selected is an error.
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

// join adds a provider. If a provider of that name is at index from or later,
// join adds keywords, level and arguments to it.
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
	arguments, ok := joined(known.Arguments, p.Arguments)
	if !ok {
		return fmt.Errorf("provider %s is given twice with different arguments", p.Name)
	}
	known.Arguments = arguments
	known.Keywords |= p.Keywords
	if known.Level != 0 && p.Level != 0 {
		known.Level = max(known.Level, p.Level)
	} else {
		known.Level = 0 // LogAlways includes all levels
	}
	return nil
}

func (r *Resolved) find(name string) int {
	return slices.IndexFunc(r.Providers, func(p eventpipe.Provider) bool { return strings.EqualFold(p.Name, name) })
}

// profiles adds the providers of the profiles that are not yet in r.
func (s *Selection) profiles(r *Resolved) error {
	names, from := s.Profiles, len(r.Providers)
	if len(names) == 0 && from == 0 && s.CLREvents == "" {
		names, r.Defaults = DefaultProfiles, true
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
		if s.CLREventLevel != "" {
			r.Warnings = append(r.Warnings, "--clreventlevel has no effect without --clrevents")
		}
		return nil
	}
	mask, err := ParseRuntimeKeywords(s.CLREvents)
	if err != nil {
		return err
	}
	level := defaultLevel
	if s.CLREventLevel != "" {
		if level, err = parseLevel(s.CLREventLevel); err != nil {
			return err
		}
	}
	if i := r.find(Runtime); i >= 0 {
		r.Warnings = append(r.Warnings, "--clrevents has no effect: "+r.Origins[i]+" has "+Runtime)
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

// NamesMethods reports whether the session itself records a verbose event for
// each method that is compiled meanwhile.
func (r *Resolved) NamesMethods() bool {
	i := r.find(Runtime)
	return i >= 0 && r.Providers[i].Keywords&keywordJIT != 0 && r.Providers[i].Level >= 5
}
