package columns

import (
	"github.com/nettrace-go/nettrace/analysis"
)

// Divide implements analysis.Divisible.
func (e *eventColumns) Divide(spent analysis.Divisible) analysis.Divisible {
	c := &eventColumns{store: e.store, stacks: e.stacks, number: e.number}
	if old, ok := spent.(*eventColumns); ok {
		c.at, c.offset, c.kind, c.stack = old.at[:0], old.offset[:0], old.kind[:0], old.stack[:0]
		c.thread, c.capture, c.processor = old.thread[:0], old.capture[:0], old.processor[:0]
		c.activity, c.related, c.sequence, c.payload = old.activity[:0], old.related[:0], old.sequence[:0], old.payload[:0]
	}
	for _, t := range e.typed {
		c.typed = append(c.typed, newTyped(t.table, t.want, t.schemas))
	}
	return c
}

// Join implements analysis.Divisible: it numbers the keys of the chunk in the order of their
// first use.
func (e *eventColumns) Join(chunk analysis.Divisible, stacks []analysis.StackID) {
	c := chunk.(*eventColumns)
	for i, t := range c.typed {
		e.typed[i].join(t, int64(e.rows))
	}
	e.rows += c.rows
	e.joinStacks(c, stacks)
	if !e.store {
		return
	}
	if cap(e.at)-len(e.at) < len(c.at) {
		e.grow(len(c.at))
	}
	e.at, e.offset = append(e.at, c.at...), append(e.offset, c.offset...)
	e.sequence, e.payload = append(e.sequence, c.sequence...), append(e.payload, c.payload...)
	kinds := make([]uint32, len(c.types.list))
	for i, t := range c.types.list {
		kinds[i] = e.types.at(t.typeKey)
		e.types.list[kinds[i]].events += t.events
	}
	e.kind = appendNumbers(e.kind, c.kind, kinds)
	threads, activities := e.threads.join(&c.threads), e.activities.join(&c.activities)
	e.thread, e.capture = appendNumbers(e.thread, c.thread, threads), appendNumbers(e.capture, c.capture, threads)
	e.processor = appendNumbers(e.processor, c.processor, e.processors.join(&c.processors))
	e.activity, e.related = appendNumbers(e.activity, c.activity, activities), appendNumbers(e.related, c.related, activities)
	if e.stacks {
		e.stack = appendNumbers(e.stack, c.stack, stacks)
	}
}

// joinStacks adds the times of the first events of stacks.
func (e *eventColumns) joinStacks(c *eventColumns, stacks []analysis.StackID) {
	for i, ticks := range c.firsts {
		for len(e.firsts) <= int(stacks[i]) {
			e.firsts = append(e.firsts, ticks)
		}
	}
}

// appendNumbers appends the numbers of a chunk as the numbers of the trace.
func appendNumbers[N ~uint32](list, chunk []uint32, numbers []N) []uint32 {
	for _, n := range chunk {
		list = append(list, uint32(numbers[n]))
	}
	return list
}

// join numbers the keys of a chunk, and returns their numbers.
func (n *numbering[K]) join(chunk *numbering[K]) []uint32 {
	numbers := make([]uint32, len(chunk.list))
	for i, key := range chunk.list {
		numbers[i] = n.of(key)
	}
	return numbers
}

// join adds the rows of a chunk after a number of events.
func (t *typedColumns) join(c *typedColumns, events int64) {
	for _, id := range c.ids {
		t.ids = append(t.ids, events+id)
	}
	t.at = append(t.at, c.at...)
	t.threads = appendNumbers(t.threads, c.threads, t.known.join(&c.known))
	for i := range t.builders {
		t.builders[i].join(&c.builders[i])
	}
}

// join appends the values of a chunk.
func (b *builder) join(c *builder) {
	v, more := &b.vector, &c.vector
	had, rows := max(len(v.Ints), len(v.Floats)), max(len(more.Ints), len(more.Floats))
	if v.Nulls != nil || more.Nulls != nil {
		if v.Nulls == nil {
			v.Nulls = make([]bool, had)
		}
		nulls := more.Nulls
		if nulls == nil {
			nulls = make([]bool, rows)
		}
		v.Nulls = append(v.Nulls, nulls...)
	}
	v.Ints, v.Floats = append(v.Ints, more.Ints...), append(v.Floats, more.Floats...)
	numbers := []uint32{0}
	for _, n := range b.texts.join(&c.texts) {
		numbers = append(numbers, n+1)
	}
	v.Index = appendNumbers(v.Index, more.Index, numbers)
	b.none = b.none || c.none
	b.left.add(c.left)
}
