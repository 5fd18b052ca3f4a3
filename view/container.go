package view

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/klauspost/compress/gzip"

	"github.com/nettrace-go/nettrace/internal/shortwrite"
)

// pack returns the document with a head and columns, compressed at a level of gzip.
func pack(head *Head, columns []*column, level int) ([]byte, error) {
	var kept []*column
	for _, c := range columns {
		if c.other {
			kept = append(kept, c)
			head.Columns = append(head.Columns, c.name)
		}
	}
	var first bytes.Buffer
	enc := json.NewEncoder(&first)
	enc.SetEscapeHTML(false) // the document is compressed before it is part of a page
	if err := enc.Encode(head); err != nil {
		return nil, fmt.Errorf("view: head: %w", err)
	}
	parts := [][]byte{first.Bytes()}
	for _, c := range kept {
		parts = append(parts, c.rows)
	}
	return compress(parts, level)
}

// compress joins parts, each after its length, and compresses them.
func compress(parts [][]byte, level int) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		if uint64(len(part)) > math.MaxUint32 {
			return nil, fmt.Errorf("view: a column has %d bytes, at most %d are possible", len(part), uint32(math.MaxUint32))
		}
		if err := shortwrite.Write(w, binary.LittleEndian.AppendUint32(nil, uint32(len(part)))); err != nil {
			return nil, err
		}
		if err := shortwrite.Write(w, part); err != nil {
			return nil, err
		}
		if err := w.Flush(); err != nil { // each part has codes of its own, which is smaller
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
