package heap

import (
	"fmt"
	"math"

	"github.com/nettrace-go/nettrace/codec"
)

// Estimated bytes for each row, including the work of FromReader and Dominators.
const (
	objectBytes = 110
	edgeBytes   = 12
	rootBytes   = 32
	typeBytes   = 96
)

const defaultLimit = 2 << 30

// memory is the memory that a dump may use, estimated.
type memory struct{ limit, held int64 }

func newMemory(limit int64) memory {
	switch {
	case limit == 0:
		limit = defaultLimit
	case limit < 0:
		limit = math.MaxInt64
	}
	return memory{limit: limit}
}

// take accounts for bytes. The error is a *codec.LimitError.
func (m *memory) take(n int64) error {
	if m.held += n; m.held > m.limit {
		return fmt.Errorf("heap: %w", &codec.LimitError{Name: "Limit", Size: m.held, Limit: m.limit})
	}
	return nil
}

// give returns bytes.
func (m *memory) give(n int64) { m.held -= n }
