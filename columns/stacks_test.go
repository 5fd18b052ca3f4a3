package columns_test

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestStubNames: a frame without a symbol that is named by its caller has that caller, also if
// it has several.
func TestStubNames(t *testing.T) {
	trace := open(t, shared.Trace(t, "azmcp-net10-cpu.v4"))
	stacks, frames, functions := load(t, trace, "stacks"), load(t, trace, "frames"), load(t, trace, "functions")
	address := func(node int64) int64 {
		return frames.Vector("address").Int(int(stacks.Vector("frame_id").Int(int(node)-1) - 1))
	}
	name := func(node int64) string {
		return functions.Vector("name").Text(int(stacks.Vector("function_id").Int(int(node)-1) - 1))
	}
	names := map[int64]map[string]bool{}
	for row := range stacks.Rows {
		stub, parent := int64(row)+1, stacks.Vector("parent_id")
		of, ok := strings.CutPrefix(name(stub), "[stub called from ")
		if !ok {
			continue
		}
		caller, _, _ := strings.Cut(name(parent.Int(row)), "(")
		expect.Equal(t, "name", of, caller+"]")
		if names[address(stub)] == nil {
			names[address(stub)] = map[string]bool{}
		}
		names[address(stub)][of] = true
	}
	most := 0
	for _, of := range names {
		most = max(most, len(of))
	}
	expect.AtLeast(t, "names of one address", most, 2)
}
