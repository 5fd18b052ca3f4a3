//go:build unix

package eventpipetest

import (
	"encoding/binary"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// cursor decodes a payload. bad is set when a value is missing or malformed.
type cursor struct {
	b       []byte
	release int
	bad     bool
}

// checksLength reports whether the runtime notices that a payload ends early. The releases between
// read what lies behind the message.
func checksLength(release int) bool { return release < 5 || release >= 11 }

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

// number reads the 4 bytes at the end of a payload. Where the runtime does not notice that they are
// missing, zeros stand for what it reads.
func (c *cursor) number() uint32 {
	if len(c.b) < 4 && !checksLength(c.release) {
		c.b = append(c.b[:len(c.b):len(c.b)], 0, 0, 0, 0)
	}
	return uint32(c.uint(4))
}

// text reads a string, which must have its NUL. null reports a string without even that.
func (c *cursor) text() (s string, null bool) {
	n := c.uint(4)
	if n > uint64(len(c.b)/2) {
		c.b, c.bad = nil, true
		return "", false
	}
	units := make([]uint16, n)
	for i := range units {
		units[i] = uint16(c.uint(2))
	}
	if n == 0 {
		return "", !c.bad
	}
	c.bad = c.bad || units[n-1] != 0
	return string(utf16.Decode(units[:n-1])), false
}

// verdict is what the runtime does with the payload of a CollectTracing command.
type verdict int

const (
	accepted  verdict = iota
	malformed         // refused
	fatal             // the process crashes
	endless           // no answer comes, and no other client gets one
	waits             // for a descriptor that comes beside the message
)

// A runtime up to .NET 9 crashes where a later one refuses the number of providers, the format or
// the size of the buffer.
const maxProviders = 1000

// decodeConfig reads the payload of a CollectTracing command and decides as the real server does.
func decodeConfig(release int, cmd eventpipe.Command, payload []byte) (cfg eventpipe.SessionConfig, _ verdict) {
	c := &cursor{b: payload, release: release}
	kind := uint64(0)
	if cmd >= eventpipe.CollectTracing5 {
		kind = c.uint(4)
	}
	if kind == 1 {
		return cfg, c.userEvents()
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
	count := c.uint(4)
	if !c.bad && (format > 1 || cfg.BufferMB == 0 || count > maxProviders) {
		if release >= 5 && release < 10 {
			return cfg, fatal
		}
		return cfg, malformed
	}
	for ; count > 0 && !c.bad; count-- {
		p, counted := c.provider(cmd >= eventpipe.CollectTracing5)
		if !counted {
			return cfg, endless
		}
		cfg.Providers = append(cfg.Providers, p)
	}
	if cmd >= eventpipe.CollectTracing6 {
		mode := c.uint(4)
		cfg.BlockWhenFull = mode == 1
		c.bad = c.bad || mode > 1
	}
	if c.bad || kind != 0 || len(cfg.Providers) == 0 {
		return cfg, malformed
	}
	return cfg, accepted
}

// provider reads a provider. counted is false for a filter of so many ids that the runtime is busy
// with its memory for minutes: the number is not checked against the message.
func (c *cursor) provider(filter bool) (p eventpipe.Provider, counted bool) {
	p = eventpipe.Provider{Keywords: c.uint(8), Level: int(c.uint(4))}
	p.Name, _ = c.text()
	c.bad = c.bad || p.Level > 5 || p.Name == ""
	p.Arguments = c.arguments()
	if !filter || len(c.b) == 0 && !checksLength(c.release) {
		return p, true
	}
	f := &eventpipe.EventFilter{Deny: c.uint(1) == 0}
	n := c.uint(4)
	if n > 1<<24 {
		return p, false
	}
	for ; n > 0 && !c.bad; n-- {
		f.IDs = append(f.IDs, uint32(c.uint(4)))
	}
	if !f.Deny || len(f.IDs) > 0 {
		p.Filter = f
	}
	return p, true
}

// arguments may be missing before .NET 11. .NET Core 3.1 accepts any text.
func (c *cursor) arguments() string {
	if len(c.b) < 4 && c.release < 11 {
		c.b = nil
		return ""
	}
	before := c.bad
	s, _ := c.text()
	c.bad = c.bad && (before || c.release >= 5)
	return s
}

// userEvents reads the rest of a session that writes to user_events.
func (c *cursor) userEvents() verdict {
	c.uint(8) // keywords of the rundown
	count := c.uint(4)
	for n := count; n > 0 && !c.bad; n-- {
		c.uint(8)
		c.uint(4)
		c.text()
	}
	if c.bad || count == 0 {
		return malformed
	}
	return waits
}
