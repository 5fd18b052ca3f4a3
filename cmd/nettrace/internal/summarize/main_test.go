package summarize_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/summarize"
)

// TestMain lets a test start the program as a process of its own.
func TestMain(m *testing.M) {
	programtest.Main(m, summarize.Command)
}
