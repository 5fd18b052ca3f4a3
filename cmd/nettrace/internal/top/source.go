package top

import (
	"path/filepath"

	"github.com/nettrace-go/nettrace/profile/calltree"
)

// sourceName returns the name of the file that the samples of a process come
// from, see calltree.Source.
func (d *topData) sourceName(process uint64) string {
	name, ok := d.sources[process]
	if !ok {
		if d.sources == nil {
			d.sources = map[uint64]string{}
		}
		name = calltree.Source(d.Trace, process, filepath.Base(d.File))
		d.sources[process] = name
	}
	return name
}
