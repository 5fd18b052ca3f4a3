package fuzz

import (
	"slices"
	"testing"
)

// FuzzOrder makes rows with the times of the plan, and reads them by time. limit
// is the limit of waiting events.
func FuzzOrder(f *testing.F) {
	f.Add([]byte{1, 2, 3, planBack | 2, planSorted, 4, planPoint | 1, planBlock | 2}, uint16(0))
	f.Add([]byte{planBack | 1, planBack | 1, planBack | 1, planBlock, planBlock | planSorted | 15, planBack | 15}, uint16(200))
	f.Add(slices.Repeat([]byte{5, planBack | 3, planBlock | 1}, 300), uint16(9000))
	fuzz(f)
}
