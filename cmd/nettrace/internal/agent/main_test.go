package agent_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/agent"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/change"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
)

// TestMain lets a test start the program as a process of its own.
func TestMain(m *testing.M) { programtest.Main(m, agent.Command, change.ConvertCommand) }
