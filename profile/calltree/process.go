package calltree

import (
	"path"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/profile"
)

// ProcessName is the name of the program that wrote the trace: its main assembly
// by the command line, without folder and extension, or "process 123".
func ProcessName(p *profile.Profile) string {
	program, rest := word(p.CommandLine)
	name := base(program)
	if strings.EqualFold(name, "dotnet") {
		for rest != "" {
			var argument string
			argument, rest = word(rest)
			if ext := path.Ext(argument); strings.EqualFold(ext, ".dll") || strings.EqualFold(ext, ".exe") {
				name, rest = base(argument), ""
			}
		}
	}
	if name != "" {
		return name
	}
	if id, ok := p.Trace.ProcessID(); ok {
		return "process " + strconv.FormatUint(id, 10)
	}
	return "process"
}

// word cuts the first word off a command line, one in quotation marks whole.
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
	switch ext := path.Ext(file); strings.ToLower(ext) {
	case ".dll", ".exe":
		file = strings.TrimSuffix(file, ext)
	}
	return file
}
