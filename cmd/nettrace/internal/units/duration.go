package units

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads the value of --duration: a duration of Go (30s, 1m30s), or
// dd:hh:mm:ss as dotnet-trace has it, whose first parts may be left out up to mm:ss. An
// empty text is 0, no limit.
func ParseDuration(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if strings.Contains(text, ":") {
		d, err = parseClock(text)
	}
	if err != nil || d <= 0 {
		return 0, fmt.Errorf(`--duration: %q is neither a time ("30s", "1m30s") nor dd:hh:mm:ss`, text)
	}
	return d, nil
}

// clockUnits are the parts of dd:hh:mm:ss from the last one on, and the bound
// of each.
var clockUnits = [...]struct {
	unit time.Duration
	less uint64
}{{time.Second, 60}, {time.Minute, 60}, {time.Hour, 24}, {24 * time.Hour, 10_000}}

func parseClock(text string) (time.Duration, error) {
	parts := strings.Split(text, ":")
	if len(parts) > len(clockUnits) {
		return 0, strconv.ErrSyntax
	}
	var total time.Duration
	for i, part := range parts {
		u := clockUnits[len(parts)-1-i]
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil || n >= u.less {
			return 0, strconv.ErrRange
		}
		total += time.Duration(n) * u.unit
	}
	return total, nil
}
