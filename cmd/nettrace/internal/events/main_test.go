package events_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/events"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
)

// TestMain lets a test start the program as a process of its own.
func TestMain(m *testing.M) { programtest.Main(m, events.Command) }
