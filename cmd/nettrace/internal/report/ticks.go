package report

import (
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/codec"
)

// moments are the keys of moments since the sync time. A quotation mark within a text of JSON has a backslash before
// it: no text matches.
var moments = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(start|end|begin|first|last|pauseStart|since)Ns":(-?[0-9]+)`)
})

// withTicks adds the ticks of the trace to each moment of JSON, in a key with Ticks in place of Ns.
func withTicks(text []byte, header *codec.Trace) []byte {
	return moments().ReplaceAllFunc(text, func(found []byte) []byte {
		part := moments().FindSubmatch(found)
		nanos, err := strconv.ParseInt(string(part[2]), 10, 64)
		if err != nil {
			return found
		}
		found = append(append(append(found[:len(found):len(found)], `,"`...), part[1]...), `Ticks":"`...)
		found = strconv.AppendUint(found, ticksAt(header, nanos), 10)
		return append(found, '"')
	})
}

// ticksAt returns the tick of a moment since the sync time, which was rounded down.
func ticksAt(header *codec.Trace, nanos int64) uint64 {
	if header.TickFrequency == 0 {
		return header.SyncTicks + uint64(nanos)
	}
	at := time.Duration(nanos)
	ticks := header.Ticks(at)
	if header.Since(ticks+1) == at {
		ticks++
	}
	return ticks
}
