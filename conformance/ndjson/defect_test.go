package ndjson

import (
	"bytes"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/internal/expect"
)

func TestDefectLine(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, Options{})
	expect.NoError(t, w.Defect(&codec.Error{Offset: 1 << 40, Rule: rule.STK003, Err: codec.ErrDefect}))
	expect.NoError(t, w.Flush())
	expect.Equal(t, "line", out.String(),
		`{"type":"defect","offset":1099511627776,"rule":"NT-STK-003","message":"The size of a stack is a multiple of PointerSize."}`+"\n")
}
