package profile

import (
	"path"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Process is a process in a trace.
type Process struct {
	ID uint64 // of the operating system; 0 if the trace does not have it
	// Name is the main assembly in the command line, without folder and
	// extension, or else the name in the events of Universal.System (v6); "" if
	// unknown.
	Name        string
	CommandLine string // "" if the trace does not have it
}

// Label returns the name of the process, or "process ID" if it has none.
func (p *Process) Label() string {
	switch {
	case strings.TrimSpace(p.Name) != "":
		return p.Name
	case p.ID != 0:
		return "process " + strconv.FormatUint(p.ID, 10)
	}
	return "process"
}

// Process returns the process with an id. Its name is empty if the trace has
// none.
func (p *Profile) Process(id uint64) Process {
	if found, ok := p.processes[id]; ok {
		return found
	}
	return Process{ID: id}
}

// processInfo handles the event with a process's command line.
func (b *builder) processInfo(ev *codec.Event) {
	line := b.p.texts.texts[b.p.texts.utf16(clr.ProcessInfo(ev).CommandLine())]
	id, _ := ev.ProcessID()
	b.p.processes[id] = Process{ID: id, Name: ProgramName(line), CommandLine: line}
}

// nameProcesses names the processes of the threads that have no command line.
func (b *builder) nameProcesses() {
	p := b.p
	for i := range p.threads.rows {
		id := p.threads.rows[i].ProcessID
		p.several = p.several || id != p.threads.rows[0].ProcessID
		if _, ok := p.processes[id]; ok {
			continue
		}
		if about, ok := p.names.table.ProcessInfo(id); ok && about.Name != "" {
			p.processes[id] = Process{ID: id, Name: about.Name}
		}
	}
	if own, ok := p.processes[b.process]; ok || len(p.processes) != 1 {
		p.CommandLine = own.CommandLine
		return
	}
	for _, only := range p.processes {
		p.CommandLine = only.CommandLine
	}
}

// ProgramName returns the name of the program that a command line starts: its
// main assembly, without folder and extension. It is "" for an empty line. The runtime
// writes no quotation marks, so that the folder of a program can have spaces: a word
// with a slash that is neither an option nor a file with another extension continues an absolute path.
func ProgramName(commandLine string) string {
	program, rest := word(commandLine)
	for continuesPath(program, rest) {
		var next string
		next, rest = word(rest)
		program += " " + next
	}
	name := base(program)
	if !strings.EqualFold(name, "dotnet") {
		return name
	}
	for rest != "" {
		var argument string
		argument, rest = word(rest)
		if isModule(argument) {
			return base(argument)
		}
	}
	return name
}

// continuesPath reports whether the text after the first word of a path is still a part of it.
func continuesPath(program, rest string) bool {
	absolute := strings.HasPrefix(program, "/") || len(program) > 2 && program[1:3] == `:\`
	next, _ := word(rest)
	if !absolute || isModule(program) || strings.EqualFold(base(program), "dotnet") ||
		!strings.ContainsAny(next, `/\`) || strings.ContainsAny(next[:1], `/\-"`) || strings.ContainsAny(next, ":=") {
		return false
	}
	return path.Ext(base(next)) == "" || isModule(next)
}

// isModule reports whether a file has the extension of an assembly.
func isModule(file string) bool {
	ext := path.Ext(file)
	return strings.EqualFold(ext, ".dll") || strings.EqualFold(ext, ".exe")
}

// word splits the first word, or the first text in quotation marks, off a command
// line.
func word(line string) (first, rest string) {
	line = strings.TrimLeft(line, " ")
	separator := " "
	if strings.HasPrefix(line, `"`) {
		line, separator = line[1:], `"`
	}
	first, rest, _ = strings.Cut(line, separator)
	return first, rest
}

// base is the name of a program or assembly, of a path of any system.
func base(file string) string {
	file = file[strings.LastIndexAny(file, `/\`)+1:]
	if isModule(file) {
		file = strings.TrimSuffix(file, path.Ext(file))
	}
	return file
}
