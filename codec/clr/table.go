package clr

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// table is the manifest as text: lines of columns with tabs between them, "-"
// for nothing. After a line
//
//	provider  NAME GUID
//
// come, for this provider,
//
//	keyword   MASK NAME
//	map       NAME VALUE=TEXT ...    an enumeration (numbers in hexadecimal)
//	bits      NAME VALUE=TEXT ...    one of flags
//	fields    FIELD ...              list of fields, numbered from 0
//	event     ID VERSION NAME TASK OPCODENAME OPCODE LEVEL KEYWORDS LIST
//
// by id and version; an id "*" stands for one that differs from process to
// process. A field is NAME:TYPE/MAP. Its type is a word of scalars,
// {FIELD,...}, TYPE[] (counted by the two bytes in front) or TYPE[FIELD]
// (counted by an earlier field).
//
//go:embed manifest.txt
var table string

// provider is one provider's part of the table.
type provider struct {
	name, guid string
	text       string // its lines
	once       sync.Once
	loaded     contents
}

// contents has the lines of a provider.
type contents struct {
	named    bool // events are found by name
	events   []*Event
	keywords []keyword
	maps     map[string]*ValueMap
	lists    []*fieldList
}

type keyword struct {
	mask uint64
	name string
}

// tables is where each provider's lines are.
type tables struct {
	providers []*provider
	byName    map[string]*provider
}

// index finds the providers at its first call.
var index = sync.OnceValue(func() *tables {
	t := &tables{byName: map[string]*provider{}}
	const mark = "\nprovider\t"
	_, rest, found := strings.Cut(table, mark)
	for found {
		var section string
		section, rest, found = strings.Cut(rest, mark)
		line, text, _ := strings.Cut(section, "\n")
		name, guid, _ := strings.Cut(line, "\t")
		p := &provider{name: name, guid: guid, text: text}
		t.providers = append(t.providers, p)
		t.byName[name] = p
	}
	return t
})

func providerOf(name string) *provider { return index().byName[name] }

// load reads the provider's lines at its first call. It panics on a mistake in
// the table, which is a fault of this package.
func (p *provider) load() *contents {
	p.once.Do(func() {
		p.loaded.maps = map[string]*ValueMap{}
		for line := range strings.Lines(p.text) {
			line = strings.TrimSuffix(line, "\n")
			if err := p.loaded.read(p.name, strings.Split(line, "\t")); err != nil {
				panic(fmt.Sprintf("clr: manifest.txt: %s: %q: %v", p.name, line, err))
			}
		}
	})
	return &p.loaded
}

// read reads one line.
func (c *contents) read(provider string, col []string) error {
	var n number
	switch {
	case col[0] == "keyword" && len(col) == 3:
		c.keywords = append(c.keywords, keyword{n.hex(col[1]), col[2]})
	case (col[0] == "map" || col[0] == "bits") && len(col) == 3:
		v := &ValueMap{ID: col[1], Bits: col[0] == "bits"}
		for one := range strings.FieldsSeq(col[2]) {
			value, name, _ := strings.Cut(one, "=")
			v.Values = append(v.Values, NamedValue{n.hex(value), name})
		}
		c.maps[v.ID] = v
	case col[0] == "fields" && len(col) == 2:
		list, err := parseFields(col[1], c.maps)
		c.lists = append(c.lists, list)
		return err
	case col[0] == "event" && len(col) == 10:
		c.events = append(c.events, c.event(provider, col[1:], &n))
	default:
		return fmt.Errorf("%d columns", len(col))
	}
	return n.err
}

// event reads the columns of an event.
func (c *contents) event(provider string, col []string, n *number) *Event {
	e := &Event{
		Provider: provider, Version: n.decimal(col[1]), Name: col[2], Task: dash(col[3]), OpcodeName: dash(col[4]),
		Opcode: uint8(n.decimal(col[5])), Level: uint8(n.decimal(col[6])), Keywords: n.hex(col[7]), list: noFields,
	}
	if e.named = col[0] == "*"; e.named {
		c.named = true
	} else {
		e.ID = n.decimal(col[0])
	}
	if col[8] != "-" {
		e.list = c.lists[n.decimal(col[8])]
	}
	e.Fields, e.Maps = e.list.fields, e.list.fieldMaps
	return e
}

// number parses numbers; the first invalid one sets the error.
type number struct{ err error }

func (n *number) hex(text string) uint64 {
	value, err := strconv.ParseUint(text, 16, 64)
	if err != nil && n.err == nil {
		n.err = err
	}
	return value
}

func (n *number) decimal(text string) uint32 {
	value, err := strconv.ParseUint(text, 10, 32)
	if err != nil && n.err == nil {
		n.err = err
	}
	return uint32(value)
}

func dash(column string) string {
	if column == "-" {
		return ""
	}
	return column
}
