package events_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
)

func TestGolden(t *testing.T) {
	programtest.Golden(t, "events", "events", "--limit=5", "--stacks", "--fields")
}
