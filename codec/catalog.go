package codec

import (
	"fmt"
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// catalog has the definitions of a written stream, and checks what is written.
// Only definitions change it. It is separate from the blocks of a Writer: a
// Recorder checks records while its Writer writes.
type catalog struct {
	format  wire.Format
	to      *encoding
	pointer int
	passOn  bool // WriterOptions.PassOn

	metadata map[string]uint32 // id by the row, encoded with id 0
	payloads []payloadPlan     // of metadata row i+1
	threads  map[string]uint64 // index by the row, encoded with the largest index
	next     uint64            // thread index
	rows     map[uint64]threadRow
	removed  uint64 // threads that were removed
	held     int64  // bytes that a Reader holds for all rows, as it counts them
	scratch  []byte
}

// threadRow is a thread that was defined and not removed.
type threadRow struct {
	key  string // in catalog.threads, "" if an equal row gets another index
	cost int64
}

// The memory limits of a Reader with default limits, in the bytes that it counts.
const (
	// readerBudget is three quarters of Limits.Total without its share for garbage.
	readerBudget = 48 << 20 / 5 * 4 / 4 * 3
	// regionBudget is the rest for the events of a region, with their stacks and
	// labels, when the tables are at their limits.
	regionBudget = 4 << 20
	// maxDefinition is the largest metadata row of v4 and v5. While a Reader decodes
	// a row it may hold many times its size, see parsing.
	maxDefinition = 1 << 20
)

// readerLimits are those of a Reader with default options.
var readerLimits = Limits{}.withDefaults()

func (c *catalog) reset() {
	clear(c.metadata)
	clear(c.threads)
	clear(c.rows)
	c.payloads, c.next, c.removed, c.held = c.payloads[:0], 1, 0, 0
}

// hold counts a new row, if a Reader with default limits has memory for it.
func (c *catalog) hold(what string, rows, limit, cost int64) error {
	if c.passOn {
		return nil
	}
	if rows >= limit {
		return &LimitError{Name: what, Size: rows + 1, Limit: limit}
	}
	if size := c.held + cost; size > readerBudget-regionBudget {
		return &LimitError{Name: "Total", Size: size, Limit: readerBudget - regionBudget}
	}
	c.held += cost
	return nil
}

// definition is a row of the metadata table or of the thread table that a Writer
// has yet to write.
type definition struct {
	metadata []byte // the encoded row, nil for a thread
	thread   []byte
	id       uint64
	cost     int64 // see catalog.held
}

// defineMetadata gives a type of event its id. The definition is empty when the
// same row has been defined before.
func (c *catalog) defineMetadata(m *Metadata) (id uint32, d definition, err error) {
	if err := c.checkMetadata(m); err != nil {
		return 0, d, err
	}
	row := *m
	row.ID, row.plan, row.cost = 0, nil, 0
	if c.scratch, err = c.to.definition(c.scratch[:0], &row, c.format); err != nil {
		return 0, d, err
	}
	if id, ok := c.metadata[string(c.scratch)]; ok {
		return id, d, nil
	}
	key := string(c.scratch)
	row.ID = uint32(len(c.payloads)) + 1
	if c.scratch, err = c.to.definition(c.scratch[:0], &row, c.format); err != nil {
		return 0, d, err
	}
	limit := int64(maxDefinition)
	if c.passOn {
		limit = maxRecord
	}
	if size := int64(len(c.scratch)); size > limit {
		return 0, d, &LimitError{Name: "Metadata row", Size: size, Limit: limit}
	}
	cost := metadataSize + blockRowSize + int64(len(c.scratch))*3/2 + (fieldCost+elementCost)*typesIn(row.Fields) + pairCost*int64(len(row.Attributes))
	if err := c.hold("Metadata", int64(len(c.payloads)), readerLimits.Metadata, cost); err != nil {
		return 0, d, err
	}
	if c.metadata == nil {
		c.metadata = make(map[string]uint32)
	}
	c.metadata[key] = row.ID
	plan := payloadPlan{size: unchecked}
	if !c.passOn {
		plan = newPayloadPlan(cloneFields(row.Fields), c.pointer)
	}
	c.payloads = append(c.payloads, plan)
	return row.ID, definition{metadata: slices.Clone(c.scratch), id: uint64(row.ID), cost: cost}, nil
}

// cloneFields copies a field list with all that it points to.
func cloneFields(fields []Field) []Field {
	fields = slices.Clone(fields)
	for i := range fields {
		fields[i].Type = cloneType(fields[i].Type)
	}
	return fields
}

func cloneType(t Type) Type {
	if t.Element != nil {
		element := cloneType(*t.Element)
		t.Element = &element
	}
	t.Fields = cloneFields(t.Fields)
	return t
}

// defineThread gives a thread its index. The definition is empty when the same
// row has been defined before, unless the caller wants another thread.
func (c *catalog) defineThread(t *Thread, another bool) (index uint64, d definition, err error) {
	if !c.to.indexed {
		return 0, d, &FormatError{c.format, "a thread table"}
	}
	if err := c.checkThread(t); err != nil {
		return 0, d, err
	}
	row := *t
	row.Index = math.MaxUint64 // as long as an index can be
	if c.scratch, err = appendThread(c.scratch[:0], &row); err != nil {
		return 0, d, err
	}
	if index, ok := c.threads[string(c.scratch)]; ok && !another {
		return index, d, nil
	}
	cost := threadSize + stateSize + spanSize + sequenceSize + row.cost()
	if err := c.hold("Threads", int64(c.next-1-c.removed), readerLimits.Threads, cost); err != nil {
		return 0, d, err
	}
	if c.threads == nil {
		c.threads, c.rows = make(map[string]uint64), make(map[uint64]threadRow)
	}
	row.Index = c.next
	known := threadRow{cost: cost}
	if !another {
		known.key = string(c.scratch)
		c.threads[known.key] = row.Index
	}
	c.rows[row.Index] = known
	c.next++
	body, err := appendThread(nil, &row)
	return row.Index, definition{thread: body, id: row.Index, cost: cost}, err
}

// renameThread makes sure that a row equal to that of a thread gets another index.
func (c *catalog) renameThread(index uint64) {
	row := c.rows[index]
	if row.key == "" {
		return
	}
	delete(c.threads, row.key)
	row.key = ""
	c.rows[index] = row
}

// forgetThread removes a thread, and returns the memory that a Reader gets back when
// no event refers to the row any more.
func (c *catalog) forgetThread(index uint64) (cost int64) {
	c.renameThread(index)
	cost = c.rows[index].cost
	delete(c.rows, index)
	if c.removed++; c.removed <= maxRemoved {
		cost -= sparseSize // of the index, which the Reader keeps
	}
	if !c.passOn {
		c.held -= cost
	}
	return cost
}

// check finds what is wrong with a record, except its threads, its time and its
// number.
func (c *catalog) check(rec *Record) error {
	if id := rec.MetadataID; id-1 >= uint32(len(c.payloads)) {
		return fmt.Errorf("codec: metadata %d is %w", id, ErrUndefined)
	}
	if size := eventSize(rec); size > maxRecord {
		return &LimitError{Name: "Event", Size: int64(size), Limit: maxRecord}
	}
	if len(rec.Labels) > 0 {
		if err := c.checkLabels(rec.Labels); err != nil {
			return err
		}
	}
	if c.pointer == 4 && !c.passOn {
		for _, address := range rec.Stack {
			if address > math.MaxUint32 {
				return &FormatError{c.format, fmt.Sprintf("the address %#x in a trace with pointers of 4 bytes", address)}
			}
		}
	}
	plan := &c.payloads[rec.MetadataID-1]
	if plan.size == len(rec.Payload) || plan.size == unchecked {
		return nil
	}
	if bad, at := plan.check(rec.Payload); bad != 0 {
		return &PayloadError{MetadataID: rec.MetadataID, Rule: bad, Offset: at, Size: len(rec.Payload)}
	}
	return nil
}

// eventSize is the maximum number of bytes of a record with its stack.
func eventSize(rec *Record) int { return len(rec.Payload) + 8*len(rec.Stack) + maxHeaderV4 }

// maxRecord is the size of the largest written event with its stack, and of the
// largest label list: with the bytes that wait in a block they are shorter than
// the longest block.
const maxRecord = raw.MaxBlockSize / 2
