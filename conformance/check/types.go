package check

import (
	"math"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const largestFixedArray = 65_535 // bytes

// fixedBytes is the minimum size of a value in bytes.
func fixedBytes(t *codec.Type, pointer int) int64 {
	switch t.Code {
	case wire.Pointer:
		return int64(pointer)
	case wire.FixedLengthArray:
		return min(int64(t.Count)*fixedBytes(t.Element, pointer), math.MaxInt32)
	case wire.Object:
		var n int64
		for i := range t.Fields {
			n = min(n+fixedBytes(&t.Fields[i].Type, pointer), math.MaxInt32)
		}
		return n
	case wire.Array, wire.NullTerminatedUTF16String:
		return 2
	case wire.RelLoc, wire.DataLoc:
		return 4
	}
	return int64(max(t.Code.Size(), 1))
}

// missingField is a name in the braces of a message template without a field.
func missingField(m *codec.Metadata) string {
	for rest := m.Message; ; {
		_, tail, found := strings.Cut(rest, "{")
		name, after, closed := strings.Cut(tail, "}")
		if !found || !closed {
			return ""
		}
		rest = after
		if strings.HasPrefix(tail, "{") { // an escaped brace
			rest = strings.TrimPrefix(tail, "{")
			continue
		}
		name, _, _ = strings.Cut(name, ":")
		name, _, _ = strings.Cut(name, ",")
		name = strings.TrimLeft(name, "@$")
		if name != "" && !isField(m, name) {
			return name
		}
	}
}

func isField(m *codec.Metadata, name string) bool {
	for i := range m.Fields {
		if m.Fields[i].Name == name {
			return true
		}
	}
	return strings.Trim(name, "0123456789") == "" && len(m.Fields) > 0
}

// speaksOfLocator reports whether the name of a field is one of a locator's.
func speaksOfLocator(name string) bool {
	return strings.Contains(name, "__data_loc") || strings.Contains(name, "__rel_loc")
}
