package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// oneEvent is a trace with one event, whose fields have the values 1, 2, 3 ... as bytes.
func oneEvent(provider, name string, fields ...string) []byte {
	b := gen.NewBuilder(gen.BuilderOptions{Trace: codec.Trace{TickFrequency: 1e9, PointerSize: 8}})
	m := &codec.Metadata{Provider: provider, EventID: 1, Name: name}
	var payload []byte
	for i, field := range fields {
		m.Fields = append(m.Fields, codec.Field{Name: field, Type: codec.Type{Code: wire.Byte}})
		payload = append(payload, byte(i+1))
	}
	id := b.Metadata(m)
	b.Event(&codec.EventRow{MetadataID: id, Timestamp: 1, Payload: payload})
	return b.Trace().Bytes()
}

// TestLongColumn: one long name does not make each line of the schema as long.
func TestLongColumn(t *testing.T) {
	trace := testfile.New(t, "long.nettrace", oneEvent("P", "E", strings.Repeat("L", 20_000)))
	r := programtest.Run(t, nil, "query", "--schema", trace)
	r.Exits(t, exit.Done)
	if len(r.Out) > 300_000 {
		t.Errorf("%d bytes", len(r.Out))
	}
	expect.Contains(t, "output", r.Out, strings.Repeat("L", 20_000))
}

// TestHostileNames: an event can be queried whatever names its provider and its fields have.
func TestHostileNames(t *testing.T) {
	many := make([]string, 1200)
	for i := range many {
		many[i] = fmt.Sprintf("f%d", i)
	}
	long := strings.Repeat("L", 300)
	for _, c := range []struct {
		name, sql, want, warning string
		trace                    []byte
	}{
		{"a field file_id", "SELECT file_id_2, file_id FROM P_E", "file_id_2,file_id\n1,1\n", "", oneEvent("P", "E", "file_id")},
		{"fields of one name", "SELECT a, a_2, A_3 FROM P_E", "a,a_2,A_3\n1,2,3\n", "", oneEvent("P", "E", "a", "a", "A")},
		{"a field rowid", "SELECT rowid_2 IS NULL FROM (SELECT rowid AS rowid_2 FROM P_E)", "rowid_2 IS NULL\n0\n", "", oneEvent("P", "E", "rowid")},
		{"a reserved provider", "SELECT x FROM _sqlite_x_E", "x\n1\n", "", oneEvent("sqlite_x", "E", "x")},
		{"1,200 fields", "SELECT f0, f999 % 256 FROM P_E", "f0,f999 % 256\n1,232\n",
			"200 fields of events have no column", oneEvent("P", "E", many...)},
		{"a long name", "SELECT x FROM P_" + long[:181] + "_4315b414749a89f0", "x\n1\n", "", oneEvent("P", long, "x")},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace := testfile.New(t, "hostile.nettrace", c.trace)
			r := programtest.Run(t, nil, "query", "--format", "csv", trace, c.sql)
			r.Exits(t, exit.Done)
			expect.Equal(t, "output", r.Out, c.want)
			if c.warning != "" {
				r.Complains(t, c.warning)
			}
		})
	}
}
