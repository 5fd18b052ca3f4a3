package heap_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/heap"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
)

func TestMain(m *testing.M) {
	programtest.Main(m, heap.Command)
}
