package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// manifest is the table while it is being put together.
type manifest struct {
	providers []*provider
}

// provider is one event source.
type provider struct {
	name, guid string
	keywords   map[uint64]string
	maps       []*valueMap
	events     []*event
	tasks      map[int]string // names by number, of the native list
	opcodes    map[int]string
}

// valueMap names the values of an enumeration.
type valueMap struct {
	name  string
	bits  bool
	names map[uint64]string
}

// event is one version of an event.
type event struct {
	id, version int
	named       bool // found by its name: its id is another one in each process
	name        string
	task        string
	opcodeName  string
	opcode      int
	level       int
	keywords    uint64
	fields      []field
}

// field is one field of a payload, written the way the table has it:
// "Name:type", "Name:type/Map", "Name:type[CountField]".
type field string

func (f field) name() string {
	name, _, _ := strings.Cut(string(f), ":")
	return name
}

// simple reports whether the field is neither an object nor an array.
func (f field) simple() bool { return !strings.ContainsAny(string(f), "{[") }

// plain is the field without its enumeration.
func (f field) plain() field {
	text, _, _ := strings.Cut(string(f), "/")
	return field(text)
}

// provider returns the provider of that name, a new one if need be.
func (m *manifest) provider(name string) *provider {
	for _, p := range m.providers {
		if p.name == name {
			return p
		}
	}
	p := &provider{name: name, keywords: map[uint64]string{}, tasks: map[int]string{}, opcodes: map[int]string{}}
	m.providers = append(m.providers, p)
	return p
}

// event returns one version of an event, or nil.
func (p *provider) event(id, version int) *event {
	for _, e := range p.events {
		if e.id == id && e.version == version && !e.named {
			return e
		}
	}
	return nil
}

// versions returns all versions of an event, the oldest first.
func (p *provider) versions(id int) []*event {
	var found []*event
	for _, e := range p.events {
		if e.id == id && !e.named {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b *event) int { return cmp.Compare(a.version, b.version) })
	return found
}

// valueMap returns the map of that name, a new one if need be.
func (p *provider) valueMap(name string, bits bool) *valueMap {
	for _, v := range p.maps {
		if v.name == name {
			return v
		}
	}
	v := &valueMap{name: name, bits: bits, names: map[uint64]string{}}
	p.maps = append(p.maps, v)
	return v
}

// finish copies facts of earlier versions to later ones, sorts everything and
// checks it.
func (m *manifest) finish() error {
	for _, p := range m.providers {
		slices.SortFunc(p.events, func(a, b *event) int {
			if a.named && b.named {
				return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.version, b.version))
			}
			return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.version, b.version))
		})
		slices.SortFunc(p.maps, func(a, b *valueMap) int { return strings.Compare(a.name, b.name) })
		for i := 1; i < len(p.events); i++ {
			if a, b := p.events[i-1], p.events[i]; a.id == b.id && !a.named {
				b.inherit(a)
			}
		}
		p.nameVersions()
		if err := p.check(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// inherit copies the facts that the list of the newer version does not have.
func (e *event) inherit(older *event) {
	if e.task == "" {
		e.task = older.task
	}
	if e.opcode == 0 {
		e.opcode, e.opcodeName = older.opcode, older.opcodeName
	}
	for i, f := range e.fields {
		for _, old := range older.fields {
			if old.plain() == f && old.simple() {
				e.fields[i] = old
			}
		}
	}
}

// nameVersions gives all versions of an event the name of the newest.
func (p *provider) nameVersions() {
	for i := len(p.events) - 2; i >= 0; i-- {
		if e, newer := p.events[i], p.events[i+1]; e.id == newer.id && !e.named {
			e.name = newer.name
		}
	}
}

// check looks for undefined maps and for duplicates.
func (p *provider) check() error {
	for i, e := range p.events {
		if i > 0 && e.version == p.events[i-1].version && e.id == p.events[i-1].id && e.name == p.events[i-1].name {
			return fmt.Errorf("event %d version %d (%s) is listed twice", e.id, e.version, e.name)
		}
		for _, f := range e.fields {
			if err := p.checkMaps(f); err != nil {
				return fmt.Errorf("event %d version %d: %w", e.id, e.version, err)
			}
		}
	}
	return nil
}

// checkMaps checks that the maps of a field exist.
func (p *provider) checkMaps(f field) error {
	for _, part := range strings.FieldsFunc(string(f), func(r rune) bool { return strings.ContainsRune("{},[]", r) }) {
		if _, name, ok := strings.Cut(part, "/"); ok {
			if !slices.ContainsFunc(p.maps, func(v *valueMap) bool { return v.name == name }) {
				return fmt.Errorf("no map %s", name)
			}
		}
	}
	return nil
}
