package counters_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/counters"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
)

// TestMain lets a test start the program as a process of its own.
func TestMain(m *testing.M) { programtest.Main(m, counters.Command) }
