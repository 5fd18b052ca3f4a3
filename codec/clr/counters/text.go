package counters

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseTags splits the text form of tags, "k=v,k=v", or "k:v,k:v" for
// EventCounters. The form does not quote commas in values: a part without an
// equals sign is added to the value before it.
func ParseTags(text string, source Source) []Tag {
	if text == "" {
		return nil
	}
	sign := "="
	if source == EventCounters {
		sign = ":"
	}
	var tags []Tag
	for part := range strings.SplitSeq(text, ",") {
		key, value, found := strings.Cut(part, sign)
		switch {
		case found:
			tags = append(tags, Tag{key, value})
		case len(tags) > 0:
			tags[len(tags)-1].Value += "," + part
		default:
			tags = append(tags, Tag{Key: part})
		}
	}
	return tags
}

// parseNumber reads a number as .NET writes it for all countries. No text is no
// measurement.
func parseNumber(text []byte) (n Number, ok bool) {
	if len(text) == 0 {
		return Number{}, true
	}
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil && !math.IsInf(x, 0) {
		return Number{}, false
	}
	return Number{x, true}, true
}

// maxParts is how many quantiles or buckets of one value are read.
const maxParts = 1 << 12

// appendQuantiles reads "0.5=1;0.95=2".
func appendQuantiles(all []Quantile, text []byte) ([]Quantile, bool) {
	if len(text) == 0 {
		return all, true
	}
	for part := range bytes.SplitSeq(text, []byte{';'}) {
		name, value, found := bytes.Cut(part, []byte{'='})
		q, isNumber := parseNumber(name)
		v, too := parseNumber(value)
		if !found || !isNumber || !too || !(q.Float64 >= 0 && q.Float64 <= 1) || len(all) == maxParts {
			return all, false
		}
		if q.Valid && v.Valid {
			all = append(all, Quantile{q.Float64, v.Float64})
		}
	}
	return all, true
}

// parseCounts reads "1, 0, 2".
func parseCounts(text string) (all []int64, ok bool) {
	if text == "" {
		return nil, true
	}
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil || len(all) == maxParts {
			return all, false
		}
		all = append(all, n)
	}
	return all, true
}

// parseTimeSpan reads a .NET TimeSpan of less than a day, "hh:mm:ss" with a
// fraction or without, or no text.
func parseTimeSpan(text string) (d time.Duration, ok bool) {
	if text == "" {
		return 0, true
	}
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return 0, false
	}
	hours, err := strconv.ParseUint(parts[0], 10, 8)
	minutes, bad := strconv.ParseUint(parts[1], 10, 8)
	seconds, malformed := strconv.ParseFloat(parts[2], 64)
	if err != nil || bad != nil || malformed != nil || !(seconds >= 0 && seconds < 60) {
		return 0, false
	}
	return time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute + time.Duration(seconds*1e9), true
}

// seconds is a number of seconds as a duration, 0 when it can be none.
func seconds(s float64) time.Duration {
	if !(s > 0 && s < math.MaxInt64/1e9) {
		return 0
	}
	return time.Duration(math.Round(s * 1e9))
}
