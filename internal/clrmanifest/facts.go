package main

import (
	"fmt"
	"strings"
)

// applyFacts applies the lines of facts.txt. The file describes each kind of
// line.
func applyFacts(m *manifest, text string) error {
	var p *provider
	line := 0
	for row := range strings.Lines(text) {
		line++
		row, _, _ = strings.Cut(row, "#")
		words := strings.Fields(row)
		if len(words) == 0 {
			continue
		}
		if words[0] == "provider" {
			p = m.provider(words[1])
			if len(words) > 2 {
				p.guid = words[2]
			}
			continue
		}
		if err := p.apply(words[0], words[1:]); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	return nil
}

// least is the minimum number of words of a kind of line.
var least = map[string]int{"keyword": 2, "map": 3, "bits": 3, "event": 8, "named": 7, "task": 4, "tail": 3, "fields": 3, "use": 3, "rename": 2}

func (p *provider) apply(kind string, words []string) error {
	if p == nil || least[kind] == 0 || len(words) < least[kind] {
		return fmt.Errorf("%s %q", kind, words)
	}
	var n number
	switch kind {
	case "keyword":
		p.keywords[n.read(words[0])] = words[1]
		return n.err
	case "map", "bits":
		v := p.valueMap(words[0], kind == "bits")
		for i := 1; i+1 < len(words); i += 2 {
			v.names[n.read(words[i])] = words[i+1]
		}
		return n.err
	case "event":
		return p.applyEvent(int(n.read(words[0])), words[1:], false)
	case "named":
		return p.applyEvent(0, words, true)
	}
	return p.amend(kind, int(n.read(words[0])), words[1:])
}

// applyEvent adds an event: version, name, task, name and number of the
// opcode, level, keywords, fields.
func (p *provider) applyEvent(id int, words []string, named bool) error {
	var n number
	e := &event{
		id: id, named: named, version: int(n.read(words[0])), name: words[1], task: dash(words[2]), opcodeName: dash(words[3]),
		opcode: int(n.read(words[4])), level: int(n.read(words[5])), keywords: n.read(words[6]),
	}
	for _, word := range words[7:] {
		e.fields = append(e.fields, field(word))
	}
	if n.err == nil && !named && p.event(id, e.version) != nil {
		return fmt.Errorf("event %d version %d is in the lists already", id, e.version)
	}
	p.events = append(p.events, e)
	return n.err
}

// amend changes an event of the lists.
func (p *provider) amend(kind string, id int, words []string) error {
	var n number
	events := p.versions(id)
	if kind == "tail" || kind == "fields" {
		events = nil
		if e := p.event(id, int(n.read(words[0]))); e != nil {
			events = append(events, e)
		}
		words = words[1:]
	}
	if len(events) == 0 {
		return fmt.Errorf("%s: no event %d", kind, id)
	}
	for _, e := range events {
		switch kind {
		case "task":
			e.task, e.opcodeName, e.opcode = dash(words[0]), dash(words[1]), int(n.read(words[2]))
		case "rename":
			e.name = words[0]
		case "use":
			e.use(words[0], words[1])
		default:
			if kind == "fields" {
				e.fields = nil
			}
			for _, word := range words {
				e.fields = append(e.fields, field(word))
			}
		}
	}
	return n.err
}

// use gives a field its enumeration.
func (e *event) use(name, enumeration string) {
	for i, f := range e.fields {
		if f.name() == name && f.simple() {
			e.fields[i] = f.plain() + field(enumerated(enumeration))
		}
	}
}

func dash(word string) string {
	if word == "-" {
		return ""
	}
	return word
}
