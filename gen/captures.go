package gen

import (
	"slices"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/codec"
)

// captures holds the last sequence number of each capture thread, in the order
// they were first met.
type captures struct {
	list  []codec.ThreadSequence
	index map[uint64]int // in list
}

// number returns the last number of a thread, which starts at 0.
func (c *captures) number(thread uint64) *uint32 {
	i, ok := c.index[thread]
	if !ok {
		if c.index == nil {
			c.index = make(map[uint64]int)
		}
		i = len(c.list)
		c.index[thread] = i
		c.list = append(c.list, codec.ThreadSequence{Thread: thread})
	}
	return &c.list[i].Sequence
}

// remove forgets a thread.
func (c *captures) remove(thread uint64) {
	i, ok := c.index[thread]
	if !ok {
		return
	}
	delete(c.index, thread)
	c.list = slices.Delete(c.list, i, i+1)
	for j := i; j < len(c.list); j++ {
		c.index[c.list[j].Thread] = j
	}
}

// aligned reports whether each definition takes a multiple of 4 bytes as payload
// of v4, so that uncompressed rows need no padding. Definitions with tags count
// as not aligned.
func aligned(rows []codec.MetadataBytes) bool {
	for i := range rows {
		m := rows[i].Metadata
		if m.OpcodeSet || m.V2Params || (units(m.Provider)+units(m.Name)+fieldUnits(m.Fields))%2 != 0 {
			return false
		}
	}
	return true
}

// units is the number of UTF-16 code units of a text with its terminator.
func units(s string) int {
	n := 1
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

func fieldUnits(fields []codec.Field) int {
	n := 0
	for i := range fields {
		n += units(fields[i].Name) + fieldUnits(fields[i].Type.Fields)
	}
	return n
}
