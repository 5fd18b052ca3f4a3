package symbols

import (
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/internal/traces"
)

// tables has the two tables that TestBatch compares.
type tables struct {
	direct, batched *Table
	batch           Batch
	size            int // events of batch
	queries         []Query
}

// add adds an event to one table and to the batch for the other one.
func (c *tables) add(t *testing.T, e *codec.Event) {
	var stack []uint64
	if len(c.queries) < 2000 {
		stack = e.Stack()
	}
	for _, address := range stack {
		for _, table := range []*Table{c.direct, c.batched} {
			table.AddWanted(Process(e), address)
		}
		c.queries = append(c.queries, Query{Process(e), address, e.Timestamp})
	}
	added := c.batch.Add(e)
	expect.Equal(t, "names addresses", added, c.direct.Add(e))
	if added {
		c.size++
	}
	if len(stack) > 0 || c.size == 1000 {
		c.flush()
	}
}

// flush adds the events of the batch.
func (c *tables) flush() {
	for ; c.size > 0; c.size-- {
		c.batched.AddNext(&c.batch)
	}
	c.batch.Reset()
}

// text returns what a table has.
func (c *tables) text(t *Table) string {
	text := fmt.Sprintln(t.Malformed(), t.Dropped(), t.held)
	for _, q := range c.queries {
		f := t.Lookup(q)
		text += fmt.Sprintln(f.RawName(), f.Evidence, f.Module != nil && f.Module.Assembly != "", t.HasRundown(q.Process))
	}
	return text
}

// TestBatch: a Table has the same content whether it gets events or a Batch, also if it is
// too small.
func TestBatch(t *testing.T) {
	for _, name := range traces.Names(t) {
		for _, limit := range []int64{0, 30_000} {
			t.Run(fmt.Sprint(name, "/limit=", limit), func(t *testing.T) {
				c := tables{direct: NewTable(Options{Limit: limit}), batched: NewTable(Options{Limit: limit})}
				r := codec.NewBytesReader(traces.Read(t, name), codec.Options{OnError: codec.Skip})
				for e, err := range r.Events() {
					if err != nil {
						break
					}
					c.add(t, e)
					expect.Stop(t)
				}
				c.flush()
				expect.Equal(t, "content", c.text(c.batched), c.text(c.direct))
			})
		}
	}
}
