package calltree

import (
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/profile"
)

// ProcessName returns the name of the process of the samples of some types, or
// "process 123" if it has none; for several processes it returns their number:
// "3 processes". Without types it uses all selected threads.
func ProcessName(p *profile.Profile, types ...profile.Type) string {
	switch list := Processes(p, types...); len(list) {
	case 0:
		own := profile.Process{Name: profile.ProgramName(p.CommandLine)}
		own.ID, _ = p.Trace.ProcessID()
		return own.Label()
	case 1:
		return list[0].Label()
	default:
		return strconv.Itoa(len(list)) + " processes"
	}
}

// Processes returns the processes of the samples of some types, in the order of
// their first thread. Without types it uses all selected threads.
func Processes(p *profile.Profile, types ...profile.Type) []profile.Process {
	var list []profile.Process
	met := map[uint64]bool{}
	for thread, row := range p.Threads() {
		if !met[row.ProcessID] && sampled(p, thread, types) {
			met[row.ProcessID] = true
			list = append(list, p.Process(row.ProcessID))
		}
	}
	return list
}

// Source returns the name of the file that the samples of a process come from: of a
// merged trace that of the source with this process, otherwise that of the trace. If
// several sources have the process, it returns all their names.
func Source(trace *codec.Trace, process uint64, file string) string {
	var found []string
	for i := 1; ; i++ {
		prefix := "Source" + strconv.Itoa(i) + "."
		name, merged := trace.Property(prefix + "Name")
		switch id, _ := trace.Property(prefix + codec.ProcessIDKey); {
		case !merged && i == 1:
			return file
		case !merged && found == nil:
			return "(unknown)"
		case !merged:
			return strings.Join(found, " or ")
		case id == strconv.FormatUint(process, 10):
			found = append(found, name)
		}
	}
}

// sampled reports whether a thread has samples of one of the types, or is
// selected where there are no types.
func sampled(p *profile.Profile, thread int, types []profile.Type) bool {
	for _, t := range types {
		for range p.ThreadSamples(t, thread) {
			return true
		}
	}
	return len(types) == 0 && p.Selected(thread)
}
