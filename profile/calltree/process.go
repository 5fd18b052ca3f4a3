package calltree

import (
	"strconv"

	"github.com/nettrace-go/nettrace/profile"
)

// ProcessName is the name of the process that the samples of some types are of, or
// "process 123"; of several processes it is their number: "3 processes". Without
// types it is about all threads that are selected.
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

// Processes are the processes that the samples of some types are of, in the order
// first met. Without types they are those of all threads that are selected.
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
