package calltree

import (
	"strconv"

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
