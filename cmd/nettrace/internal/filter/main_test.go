package filter_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/change"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/events"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/stacks"
)

func TestMain(m *testing.M) { programtest.Main(m, events.Command, stacks.Command, change.SliceCommand) }
