package top

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
)

// sourceName returns the name of the file that the samples of a process come
// from: for a merged trace the source with this process, otherwise the trace. If
// several sources have the process, it returns all their names.
func (d *topData) sourceName(process uint64) string {
	if name, ok := d.sources[process]; ok {
		return name
	}
	if d.sources == nil {
		d.sources = map[uint64]string{}
	}
	d.sources[process] = d.findSource(strconv.FormatUint(process, 10))
	return d.sources[process]
}

// findSource is sourceName without the memory of earlier calls.
func (d *topData) findSource(process string) string {
	var found []string
	for i := 1; ; i++ {
		prefix := "Source" + strconv.Itoa(i) + "."
		name, merged := d.Trace.Property(prefix + "Name")
		switch id, _ := d.Trace.Property(prefix + codec.ProcessIDKey); {
		case !merged && i == 1:
			return filepath.Base(d.File)
		case !merged && found == nil:
			return "(unknown)"
		case !merged:
			return strings.Join(found, " or ")
		case id == process:
			found = append(found, name)
		}
	}
}
