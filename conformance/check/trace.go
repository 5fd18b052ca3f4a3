package check

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const (
	oldestTrace      = 2015
	leastFrequency   = 1_000
	mostFrequency    = 10_000_000_000
	traceObjectBytes = 48
	traceBlockBytes  = 40 // of v6, before the pairs
)

// knownKeys are the keys of the Trace block that have a meaning.
var knownKeys = [...]string{codec.ProcessIDKey, codec.HardwareThreadCountKey, codec.ExpectedCPUSamplingRateKey}

// checkTrace checks the Trace block.
//
// Spec: "TraceBlock"; "The First Object: The Trace Object" of the v4/v5 text.
func (c *checker) checkTrace() {
	body := c.b.Body
	if c.traces > 1 {
		return
	}
	if !c.format.HasSpecification() {
		if f := c.foundAs(rule.HDR003, rule.Information, 0, spot{Place{Ordinal: -1}, 0, -1}); f != nil {
			f.Actual = "NetPerf, version 3"
		}
	}
	if c.format.Minor != 0 {
		if f := c.found(rule.HDR007, 0, spot{Place{Ordinal: -1}, 16, -1}); f != nil {
			f.want(0, c.format.Minor)
		}
	}
	short := len(body) < traceBlockBytes || !c.format.HasTraceProperties() && len(body) < traceObjectBytes
	if short && c.cutBlock() {
		return
	}
	if short {
		if f := c.found(rule.TRC001, 0, c.in(len(body), -1)); f != nil {
			f.Actual = counted(int64(len(body)), "byte")
		}
		return
	}
	c.checkDate(body)
	c.checkClock(body)
	if c.format.HasTraceProperties() {
		c.checkPairs()
	} else {
		c.checkNumbers(body)
	}
	c.setClock()
}

// checkDate checks SyncTimeUTC.
func (c *checker) checkDate(body []byte) {
	t, ok := wire.SystemTime(body)
	part := func(i int) int { return int(binary.LittleEndian.Uint16(body[2*i:])) }
	switch {
	case strings.Trim(string(body[:wire.SystemTimeSize]), "\x00") == "":
		if f := c.found(rule.TRC004, 0, c.in(0, -1)); f != nil {
			f.want("a date", "zeros")
		}
	case !ok:
		if f := c.found(rule.TRC002, 0, c.in(0, -1)); f != nil {
			f.Actual = fmt.Sprintf("%04d-%02d-%02d %02d:%02d:%02d.%03d", part(0), part(1), part(3), part(4), part(5), part(6), part(7))
		}
	default:
		if f := c.weekday(t, part(2)); f != nil {
			f.want(fmt.Sprintf("%d for %v", t.Weekday(), t.Weekday()), part(2))
		}
		if year := t.Year(); year < oldestTrace || year > c.opt.Now.Year()+1 {
			if f := c.found(rule.TRC004, 0, c.in(0, -1)); f != nil {
				f.want(fmt.Sprintf("%d to %d", oldestTrace, c.opt.Now.Year()+1), year)
			}
		}
	}
}

// weekday compares the day of the week, the third field.
func (c *checker) weekday(t time.Time, day int) *Finding {
	if day == int(t.Weekday()) {
		return nil
	}
	return c.found(rule.TRC003, 0, c.in(4, -1))
}

// checkClock checks the numbers that all versions have.
func (c *checker) checkClock(body []byte) {
	le := binary.LittleEndian
	if ticks := int64(le.Uint64(body[16:])); ticks < 0 {
		if f := c.found(rule.TRC007, 0, c.in(16, -1)); f != nil {
			f.want("at least 0", ticks)
		}
	}
	switch frequency := int64(le.Uint64(body[24:])); {
	case frequency <= 0:
		if f := c.found(rule.TRC005, 0, c.in(24, -1)); f != nil {
			f.want("above 0", frequency)
		}
	case frequency < leastFrequency || frequency > mostFrequency:
		if f := c.found(rule.TRC006, 0, c.in(24, -1)); f != nil {
			f.want("1,000 to 10,000,000,000", frequency)
		}
	}
	if size := int32(le.Uint32(body[32:])); size != 4 && size != 8 {
		if f := c.found(rule.TRC008, 0, c.in(32, -1)); f != nil {
			f.want("4 or 8", size)
		}
	}
}

// checkNumbers checks the numbers that v3 to v5 have instead of pairs.
func (c *checker) checkNumbers(body []byte) {
	le := binary.LittleEndian
	process, processors, rate := int32(le.Uint32(body[36:])), int32(le.Uint32(body[40:])), int32(le.Uint32(body[44:]))
	c.processors = uint64(max(processors, 0))
	if !c.format.HasSpecification() {
		return
	}
	for i, wrong := range []bool{process <= 0, processors <= 0, rate < 0} {
		if wrong {
			if f := c.found(rule.TRC009, uint64(i), c.in(36+4*i, -1)); f != nil {
				f.want("above 0", []int32{process, processors, rate}[i])
			}
		}
	}
}

// pairRow is the current pair, with the earlier ones.
type pairRow struct {
	count int64
	keyAt int
	key   string
	seen  map[string]bool
}

// checkPairs checks the key-value pairs.
func (c *checker) checkPairs() {
	p := &c.table.pairs
	*p = pairRow{seen: map[string]bool{}}
	fault := c.walkTable()
	if fault.Rule != rule.None && !(c.cutBlock() && fault.Ended) {
		if f := c.found(fault.Rule, 0, c.in(fault.Pos, -1)); f != nil {
			f.want(counted(p.count, "pair"), counted(int64(len(c.b.Body)-fault.Pos), "byte")+" left")
		}
	}
	c.processKey = p.seen[codec.ProcessIDKey]
}

// traceField checks a field of a Trace block.
func (c *checker) traceField(f *layout.Field) {
	p := &c.table.pairs
	switch f.Name {
	case "KeyValueCount":
		p.count = int64(f.Value)
	case "Key":
		p.keyAt, p.key = f.Pos, string(c.text(f))
	case "Value":
		c.checkPair(p.key, string(c.text(f)), p.keyAt, f.Pos, p.seen)
	case "Undefined":
		c.fail(rule.TRC001, f.Pos)
		c.table.fault.Ended = true
	}
}

func (c *checker) checkPair(key, value string, at, valueAt int, seen map[string]bool) {
	switch {
	case key == "":
		c.foundAs(rule.TRC011, rule.Warning, 0, c.in(at, -1))
	case look([]byte(key))&notUTF8 != 0:
		c.found(rule.TRC011, 0, c.in(at, -1))
	}
	if look([]byte(value))&notUTF8 != 0 {
		c.found(rule.TRC011, 0, c.in(valueAt, -1))
	}
	if seen[key] {
		if f := c.found(rule.TRC012, 0, c.in(at, -1)); f != nil {
			f.Actual = strconv.Quote(key)
		}
	}
	if len(seen) < mostPending {
		seen[key] = true
	}
	for _, known := range knownKeys {
		number, err := strconv.ParseUint(value, 10, 64)
		switch {
		case key == known && err != nil:
			if f := c.found(rule.TRC013, 0, c.in(valueAt, -1)); f != nil {
				f.want("a decimal integer", strconv.Quote(value))
			}
		case key == known && known == codec.HardwareThreadCountKey:
			c.processors = number
		case key != known && strings.EqualFold(strings.Join(strings.Fields(key), ""), known):
			if f := c.found(rule.TRC014, 0, c.in(at, -1)); f != nil {
				f.want(known, strconv.Quote(key))
			}
		}
	}
}
