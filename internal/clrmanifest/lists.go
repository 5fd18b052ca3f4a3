package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const runtime = "Microsoft-Windows-DotNETRuntime"

// netTypes are the types of .NET parameters in the words of the table.
var netTypes = map[string]string{
	"Byte": "u8", "UInt16": "u16", "UInt32": "u32", "UInt64": "u64", "Int32": "i32", "Int64": "i64",
	"Double": "f64", "Boolean": "bool", "Guid": "guid", "IntPtr": "ptr", "String": "str",

	// Types of payloads that no metadata declares.
	"IEnumerable`1": "{Key:str,Value:str}[]",
	"ExceptionInfo": "{TypeName:str,Message:str,HResult:i32,VerboseMessage:str}",
}

// rows calls read with the columns of each line but the first, which names
// them.
func rows(content []byte, columns int, read func(col []string) error) error {
	first := true
	for line := range strings.Lines(string(content)) {
		col := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(col) < columns {
			return fmt.Errorf("%d columns, want %d: %q", len(col), columns, line)
		}
		if !first {
			if err := read(col); err != nil {
				return fmt.Errorf("%q: %w", line, err)
			}
		}
		first = false
	}
	return nil
}

// number parses numbers; the first invalid one sets the error.
type number struct{ err error }

func (n *number) read(text string) uint64 {
	value, err := strconv.ParseUint(text, 0, 64)
	if err != nil && n.err == nil {
		n.err = err
	}
	return value
}

// readNative reads the newest version of each event of the runtime's own
// provider.
func readNative(m *manifest, content []byte) error {
	p := m.provider(runtime)
	return rows(content, 8, func(col []string) error {
		var n number
		e := &event{
			id: int(n.read(col[0])), version: int(n.read(col[1])), opcode: int(n.read(col[2])),
			level: int(n.read(col[4])), keywords: n.read(col[5]), name: versionSuffix.ReplaceAllString(col[6], ""),
		}
		if task := int(n.read(col[3])); task != 0 {
			e.task = "#" + strconv.Itoa(task) // readNames has checked the name
		}
		fields, err := netFields(col[7])
		if err != nil {
			return err
		}
		e.fields = fields
		if n.err != nil {
			return n.err
		}
		return p.addNative(e)
	})
}

// addNative adds an event of the native list. Where the ETW manifest describes
// more of the same version, its description stays.
func (p *provider) addNative(e *event) error {
	old := p.event(e.id, e.version)
	if old == nil {
		p.events = append(p.events, e)
		return nil
	}
	for i, f := range e.fields {
		if i >= len(old.fields) || old.fields[i].plain() != f.plain() {
			return fmt.Errorf("the ETW manifest has %q", old.fields)
		}
	}
	old.name, old.level, old.keywords = e.name, e.level, e.keywords
	return nil
}

// netFields translates "Name:Type;Name:Enumeration(Type)".
func netFields(params string) ([]field, error) {
	var fields []field
	for param := range strings.SplitSeq(params, ";") {
		if param == "" {
			continue
		}
		name, typ, _ := strings.Cut(param, ":")
		if typ == "Byte[]" {
			fields = append(fields, field(name+"Size:u32"), field(name+":u8["+name+"Size]"))
			continue
		}
		enumeration := ""
		if before, after, ok := strings.Cut(typ, "("); ok {
			enumeration, typ = before, strings.TrimSuffix(after, ")")
		}
		code, ok := netTypes[typ]
		if !ok {
			return nil, fmt.Errorf("type %q of %s", typ, name)
		}
		fields = append(fields, field(name+":"+code+enumerated(enumeration)))
	}
	return fields, nil
}

// readNames reads the names of the native list's tasks, opcodes, keywords and
// enumerations.
func readNames(m *manifest, content []byte) error {
	p := m.provider(runtime)
	for line := range strings.Lines(string(content)) {
		col := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(col) != 3 {
			return fmt.Errorf("%d columns, want 3: %q", len(col), line)
		}
		var n number
		value := n.read(col[2])
		switch col[0] {
		case "Tasks":
			p.tasks[int(value)] = col[1]
		case "Opcodes":
			p.opcodes[int(value)] = col[1]
		case "Keywords":
			p.keywords[value] = col[1]
		default:
			p.valueMap(col[0], false).names[value] = col[1]
		}
		if n.err != nil {
			return n.err
		}
	}
	return p.nameTasks()
}

// nameTasks puts names in place of the numbers that the native list has.
func (p *provider) nameTasks() error {
	p.opcodes[1], p.opcodes[2] = "Start", "Stop"
	for _, e := range p.events {
		if text, ok := strings.CutPrefix(e.task, "#"); ok {
			task, _ := strconv.Atoi(text)
			if e.task, ok = p.tasks[task]; !ok {
				return fmt.Errorf("no name for task %d of event %d", task, e.id)
			}
		}
		if e.opcode != 0 && e.opcodeName == "" {
			e.opcodeName = p.opcodes[e.opcode]
		}
	}
	return nil
}

// readManaged reads the events of managed sources whose metadata has no fields
// although the payload has some: a byte array in a source with a manifest; a list
// of pairs or an object in a self-describing one, whose ids differ from process
// to process.
func readManaged(m *manifest, content []byte) error {
	return rows(content, 13, func(col []string) error {
		array := strings.Contains(col[12], ":Byte[]")
		named := strings.Contains(col[12], ":IEnumerable`1") || strings.Contains(col[12], ":ExceptionInfo")
		if !array && !named {
			return nil
		}
		var n number
		e := &event{
			id: int(n.read(col[2])), version: int(n.read(col[3])), opcode: int(n.read(col[4])), level: int(n.read(col[6])),
			keywords: n.read(col[7]), named: named, name: col[10],
		}
		// The same rule as the EventSource's own.
		for i, suffix := range []string{"Start", "Stop"} {
			if e.opcode == 0 && strings.HasSuffix(e.name, suffix) {
				e.opcode, e.opcodeName = i+1, suffix
			}
		}
		fields, err := netFields(col[12])
		if err != nil {
			return err
		}
		for i := range fields {
			if fields[i].simple() {
				fields[i] = fields[i].plain() // its enumerations are in no list
			}
		}
		e.fields = fields
		p := m.provider(col[0])
		if slices.ContainsFunc(p.events, func(old *event) bool { return old.name == e.name && old.version == e.version }) {
			return nil
		}
		p.events = append(p.events, e)
		return n.err
	})
}
