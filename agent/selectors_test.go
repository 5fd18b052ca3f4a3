package agent_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/agent"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestNoSelectors: an agent that would profile nothing is an error.
func TestNoSelectors(t *testing.T) {
	expect.ErrorIs(t, agent.Run(t.Context(), agent.Options{}, nil), agent.ErrNoSelectors)
}
