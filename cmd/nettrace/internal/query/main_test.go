package query_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	command "github.com/nettrace-go/nettrace/cmd/nettrace/internal/query"
)

// TestMain lets a test start the program as a process of its own.
func TestMain(m *testing.M) {
	programtest.Main(m, command.Command)
}
