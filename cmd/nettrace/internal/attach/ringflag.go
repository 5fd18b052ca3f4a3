package attach

import (
	"fmt"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/units"
	"github.com/nettrace-go/nettrace/eventpipe/record"
)

// smallestRing is the smallest size of a useful ring.
const smallestRing = 1 << 20

// ParseRing parses the value of --ring: a time, a size, or both with a comma between.
func ParseRing(text string) (opt record.RingOptions, err error) {
	if text == "" {
		return opt, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		d, timed := time.ParseDuration(part)
		size, sized := units.ParseSize(part)
		switch {
		case timed == nil && d > 0 && opt.Time == 0:
			opt.Time = d
		case sized == nil && opt.Size == 0 && size < smallestRing:
			return opt, fmt.Errorf("%s is less than 1 MiB", part)
		case sized == nil && opt.Size == 0:
			opt.Size = size
		default:
			return opt, fmt.Errorf(`%q is neither a time ("10m") nor a size ("500MB"), nor both with a comma between`, text)
		}
	}
	return opt, nil
}
