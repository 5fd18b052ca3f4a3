package check

import (
	"github.com/nettrace-go/nettrace/codec"
)

// uses notes what an event refers to, for what is told as information.
func (c *checker) uses(e *codec.Event) {
	if e.StackID != 0 && len(c.used) < mostUsed {
		if c.used == nil {
			c.used = map[uint32]struct{}{}
		}
		c.used[e.StackID] = struct{}{}
	}
	if !c.v6 {
		return
	}
	if t := c.live[e.ThreadIndex]; t != nil {
		t.used = true
	}
	if t := c.live[e.CaptureThreadIndex]; t != nil {
		t.used = true
	}
	if list := labelList(e); list != 0 {
		if c.listUsed == nil {
			c.listUsed = map[uint32]struct{}{}
		}
		if len(c.listUsed) < mostUsed {
			c.listUsed[list] = struct{}{}
		}
	}
}
