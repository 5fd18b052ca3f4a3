package calltree

import (
	"strconv"

	"github.com/nettrace-go/nettrace/profile"
)

// ProcessName is the name of the process that the samples are of, or
// "process 123"; of several processes it is their number: "3 processes".
func ProcessName(p *profile.Profile) string {
	list := p.Processes()
	switch len(list) {
	case 0:
		own := profile.Process{Name: profile.ProgramName(p.CommandLine)}
		own.ID, _ = p.Trace.ProcessID()
		return own.Label()
	case 1:
		return list[0].Label()
	}
	return strconv.Itoa(len(list)) + " processes"
}
