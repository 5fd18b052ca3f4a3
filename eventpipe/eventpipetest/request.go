//go:build unix

package eventpipetest

import (
	"encoding/binary"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// cursor decodes a payload. bad is set when a value is missing or malformed.
type cursor struct {
	b   []byte
	bad bool
}

func (c *cursor) uint(size int) uint64 {
	if len(c.b) < size {
		c.b, c.bad = nil, true
		return 0
	}
	var wide [8]byte
	copy(wide[:], c.b[:size])
	c.b = c.b[size:]
	return binary.LittleEndian.Uint64(wide[:])
}

// text reads a string, which must have its NUL.
func (c *cursor) text() string {
	units := make([]uint16, 0, 64)
	for n := c.uint(4); n > 0 && !c.bad; n-- {
		units = append(units, uint16(c.uint(2)))
	}
	if len(units) == 0 {
		return ""
	}
	last := len(units) - 1
	c.bad = c.bad || units[last] != 0
	return string(utf16.Decode(units[:last]))
}

// decodeConfig reads the payload of a CollectTracing command, or finds it
// malformed as the real server does.
func decodeConfig(cmd eventpipe.Command, payload []byte) (cfg eventpipe.SessionConfig, ok bool) {
	c := &cursor{b: payload}
	if cmd >= eventpipe.CollectTracing5 && c.uint(4) != 0 {
		c.bad = true // a session that does not stream
	}
	cfg.BufferMB = int(c.uint(4))
	format := c.uint(4)
	cfg.Format = eventpipe.Format(1 - format)
	switch {
	case cmd >= eventpipe.CollectTracing4:
		cfg.RundownKeyword = c.uint(8)
		cfg.NoRundown = cfg.RundownKeyword == 0
	case cmd >= eventpipe.CollectTracing2:
		cfg.NoRundown = c.uint(1) == 0
	}
	if cmd >= eventpipe.CollectTracing3 {
		cfg.NoStacks = c.uint(1) == 0
	}
	for n := c.uint(4); n > 0 && !c.bad; n-- {
		cfg.Providers = append(cfg.Providers, c.provider(cmd >= eventpipe.CollectTracing5))
	}
	if cmd >= eventpipe.CollectTracing6 {
		cfg.BlockWhenFull = c.uint(4) == 1
	}
	return cfg, !c.bad && format <= 1 && cfg.BufferMB > 0 && len(cfg.Providers) > 0
}

func (c *cursor) provider(filter bool) eventpipe.Provider {
	p := eventpipe.Provider{Keywords: c.uint(8), Level: int(c.uint(4)), Name: c.text(), Arguments: c.text()}
	c.bad = c.bad || p.Level > 5
	if !filter {
		return p
	}
	f := &eventpipe.EventFilter{Deny: c.uint(1) == 0}
	for n := c.uint(4); n > 0 && !c.bad; n-- {
		f.IDs = append(f.IDs, uint32(c.uint(4)))
	}
	if !f.Deny || len(f.IDs) > 0 {
		p.Filter = f
	}
	return p
}
