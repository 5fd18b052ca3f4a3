package units

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// maxDuration is the longest time that --duration accepts.
const maxDuration = 9999 * 24 * time.Hour

// ParseDuration reads the value of --duration: a duration of Go (30s, 1m30s), or a clock
// as dotnet-trace has it: hh:mm, hh:mm:ss or dd:hh:mm:ss, with a point after the days
// too, and with fractions of the seconds. An empty text is 0, no limit.
func ParseDuration(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, ok := clock(text)
	if !ok {
		var err error
		d, err = time.ParseDuration(text)
		ok = err == nil
	}
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return 0, fmt.Errorf(`--duration: %s has no unit: want %ds, or %dh for the %d days that dotnet-trace would take`, text, n, 24*n, n)
	}
	switch {
	case !ok:
		return 0, fmt.Errorf(`--duration: %q is neither a time ("30s", "1m30s") nor hh:mm, hh:mm:ss or dd:hh:mm:ss`, text)
	case d <= 0 || d > maxDuration:
		return 0, fmt.Errorf("--duration: %q is out of range: want more than 0 and at most %d days", text, maxDuration/(24*time.Hour))
	}
	return d, nil
}

// clockForm has the groups days, hours, minutes, seconds.
var clockForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:(\d{1,4})[:.])?(\d{1,2}):(\d{1,2}):(\d{1,2}(?:\.\d{1,7})?)|(?:(\d{1,4})\.)?(\d{1,2}):(\d{1,2}))$`)
})

// clock reads the forms of dotnet-trace.
func clock(text string) (time.Duration, bool) {
	parts := clockForm().FindStringSubmatch(text)
	if parts == nil {
		return 0, false
	}
	var total float64 // seconds
	for i, part := range parts[1:] {
		unit := clockUnits[i]
		n, err := strconv.ParseFloat(part, 64)
		if part != "" && (err != nil || n >= unit.less) {
			return 0, false
		}
		total += n * unit.seconds
	}
	return time.Duration(math.Round(total * float64(time.Second))), true
}

// clockUnits are the units of the groups of clockForm, and the bound of each.
var clockUnits = [...]struct{ seconds, less float64 }{
	{86400, 10000}, {3600, 24}, {60, 60}, {1, 60}, // dd:hh:mm:ss
	{86400, 10000}, {3600, 24}, {60, 60}, // dd.hh:mm
}
