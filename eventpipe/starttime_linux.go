package eventpipe

import (
	"path/filepath"
	"strconv"
	"time"

	"github.com/nettrace-go/nettrace/internal/timens"
)

// tick is the unit of times in stat, which the kernel fixes for programs.
const tick = 10 * time.Millisecond

// startTimes returns the start time of a process as the process itself reads it from its
// stat: its runtime puts it into the name of the port. ours is what we read. In a time
// namespace it is another one, and if the difference is no number of ticks, one of two.
// The error reports that the difference is not known.
func startTimes(dir, ours string) ([]string, error) {
	theirs, err := timens.Of(dir)
	if err != nil {
		return []string{ours}, err
	}
	own, err := timens.Of(filepath.Join(filepath.Dir(dir), "self"))
	if err != nil {
		return []string{ours}, err
	}
	ahead := theirs.Boottime - own.Boottime
	n, err := strconv.ParseInt(ours, 10, 64)
	if ahead == 0 || err != nil {
		return []string{ours}, nil
	}
	const base = 10
	ticks := int64(ahead / tick)
	if ahead < 0 && ahead%tick != 0 {
		ticks-- // rounded down
	}
	list := []string{strconv.FormatInt(n+ticks, base)}
	if ahead%tick != 0 {
		list = append(list, strconv.FormatInt(n+ticks+1, base))
	}
	return list, nil
}
