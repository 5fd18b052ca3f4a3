package main

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The parts of an ETW manifest that we read.
type (
	etwFile struct {
		Providers []etwProvider `xml:"instrumentation>events>provider"`
	}
	etwProvider struct {
		Name      string        `xml:"name,attr"`
		GUID      string        `xml:"guid,attr"`
		Keywords  []etwKeyword  `xml:"keywords>keyword"`
		Tasks     []etwTask     `xml:"tasks>task"`
		ValueMaps []etwMap      `xml:"maps>valueMap"`
		BitMaps   []etwMap      `xml:"maps>bitMap"`
		Templates []etwTemplate `xml:"templates>template"`
		Events    []etwEvent    `xml:"events>event"`
	}
	etwKeyword struct {
		Name string `xml:"name,attr"`
		Mask string `xml:"mask,attr"`
	}
	etwTask struct {
		Name    string `xml:"name,attr"`
		Opcodes []struct {
			Name  string `xml:"name,attr"`
			Value int    `xml:"value,attr"`
		} `xml:"opcodes>opcode"`
	}
	etwMap struct {
		Name string `xml:"name,attr"`
		Maps []struct {
			Value   string `xml:"value,attr"`
			Message string `xml:"message,attr"`
		} `xml:"map"`
	}
	etwTemplate struct {
		ID     string    `xml:"tid,attr"`
		Fields []etwData `xml:",any"`
	}
	etwData struct {
		XMLName xml.Name
		Name    string    `xml:"name,attr"`
		InType  string    `xml:"inType,attr"`
		Map     string    `xml:"map,attr"`
		Count   string    `xml:"count,attr"`
		Length  string    `xml:"length,attr"`
		Fields  []etwData `xml:",any"`
	}
	etwEvent struct {
		ID       int    `xml:"value,attr"`
		Version  int    `xml:"version,attr"`
		Level    string `xml:"level,attr"`
		Template string `xml:"template,attr"`
		Keywords string `xml:"keywords,attr"`
		Opcode   string `xml:"opcode,attr"`
		Task     string `xml:"task,attr"`
		Symbol   string `xml:"symbol,attr"`
	}
)

// etwTypes are the types of an ETW manifest in the words of the table.
var etwTypes = map[string]string{
	"win:UInt8": "u8", "win:UInt16": "u16", "win:UInt32": "u32", "win:UInt64": "u64", "win:Int32": "i32",
	"win:Double": "f64", "win:Boolean": "bool", "win:GUID": "guid", "win:Pointer": "ptr",
	"win:UnicodeString": "str", "win:AnsiString": "utf8", "win:Binary": "u8",
}

var etwLevels = map[string]int{
	"win:LogAlways": 0, "win:Critical": 1, "win:Error": 2, "win:Warning": 3, "win:Informational": 4, "win:Verbose": 5,
}

// versionSuffix ends the symbol of a version that is not the first.
var versionSuffix = regexp.MustCompile(`_V[0-9]+$`)

// readETW reads the manifest of the runtime's providers for Windows' tracing.
// It is some years old and the only list that has more than the newest version
// of an event.
func readETW(m *manifest, content []byte) error {
	var file etwFile
	if err := xml.Unmarshal(content, &file); err != nil {
		return err
	}
	for i := range file.Providers {
		from := &file.Providers[i]
		p := m.provider(from.Name)
		p.guid = strings.ToLower(strings.Trim(from.GUID, "{}"))
		if err := p.readETW(from); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

func (p *provider) readETW(from *etwProvider) error {
	for _, k := range from.Keywords {
		mask, err := strconv.ParseUint(k.Mask, 0, 64)
		if err != nil {
			return err
		}
		p.keywords[mask] = k.Name
	}
	for _, v := range from.ValueMaps {
		if err := p.readETWMap(&v, false); err != nil {
			return err
		}
	}
	for _, v := range from.BitMaps {
		if err := p.readETWMap(&v, true); err != nil {
			return err
		}
	}
	for _, e := range from.Events {
		if err := p.readETWEvent(from, &e); err != nil {
			return fmt.Errorf("event %d version %d: %w", e.ID, e.Version, err)
		}
	}
	return nil
}

// readETWMap reads an enumeration. The name of a value comes from the id of its
// message, "$(string.RuntimePublisher.GCReason.InducedMapMessage)".
func (p *provider) readETWMap(from *etwMap, bits bool) error {
	v := p.valueMap(from.Name, bits)
	for _, one := range from.Maps {
		value, err := strconv.ParseUint(one.Value, 0, 64)
		if err != nil {
			return err
		}
		id := strings.TrimSuffix(one.Message, ")")
		id = id[strings.LastIndex(id, ".")+1:]
		v.names[value] = strings.TrimSuffix(strings.TrimSuffix(id, "Message"), "Map")
	}
	return nil
}

func (p *provider) readETWEvent(from *etwProvider, e *etwEvent) error {
	level, ok := etwLevels[e.Level]
	if !ok {
		return fmt.Errorf("level %q", e.Level)
	}
	found := &event{id: e.ID, version: e.Version, name: versionSuffix.ReplaceAllString(e.Symbol, ""), task: e.Task, level: level}
	found.opcode, found.opcodeName = from.opcode(e.Task, e.Opcode)
	for keyword := range strings.FieldsSeq(e.Keywords) {
		mask, ok := p.keyword(keyword)
		if !ok {
			return fmt.Errorf("keyword %q", keyword)
		}
		found.keywords |= mask
	}
	for _, t := range from.Templates {
		if t.ID == e.Template {
			fields, err := etwFields(t.Fields)
			if err != nil {
				return err
			}
			found.fields = fields
		}
	}
	p.events = append(p.events, found)
	return nil
}

// keyword returns the mask of a name.
func (p *provider) keyword(name string) (uint64, bool) {
	for mask, known := range p.keywords {
		if known == name {
			return mask, true
		}
	}
	return 0, false
}

// opcode returns the number and the name of a task's opcode.
func (from *etwProvider) opcode(task, opcode string) (int, string) {
	switch opcode {
	case "win:Start":
		return 1, "Start"
	case "win:Stop":
		return 2, "Stop"
	}
	for _, t := range from.Tasks {
		for _, o := range t.Opcodes {
			if t.Name == task && o.Name == opcode {
				return o.Value, o.Name
			}
		}
	}
	return 0, ""
}

// etwFields translates the fields of a template.
func etwFields(list []etwData) ([]field, error) {
	var fields []field
	for _, d := range list {
		switch d.XMLName.Local {
		case "data":
			typ, ok := etwTypes[d.InType]
			if !ok {
				return nil, fmt.Errorf("type %q of %s", d.InType, d.Name)
			}
			fields = append(fields, field(d.Name+":"+typ+counted(d.Count+d.Length)+enumerated(d.Map)))
		case "struct":
			inner, err := etwFields(d.Fields)
			if err != nil {
				return nil, err
			}
			fields = append(fields, field(d.Name+":"+object(inner)+counted(d.Count)))
		}
	}
	return fields, nil
}

// counted is the end of an array that another field counts. A field that is
// declared with one element is no array.
func counted(by string) string {
	if by == "" || by == "1" {
		return ""
	}
	return "[" + by + "]"
}

func enumerated(by string) string {
	if by == "" {
		return ""
	}
	return "/" + by
}

// object is the type of an object with these fields.
func object(fields []field) string {
	var b strings.Builder
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(f))
	}
	return "{" + b.String() + "}"
}
