package top_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/top"
)

// TestMain lets a test start the program as a process of its own.
func TestMain(m *testing.M) {
	programtest.Main(m, top.Command)
}
