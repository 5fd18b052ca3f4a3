package collect_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/change"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/check"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/collect"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/counters"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/events"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/heap"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/report"
)

// TestMain lets a test start the program as a process of its own.
func TestMain(m *testing.M) {
	programtest.Main(m, check.Command, collect.Command, counters.Command, events.Command, heap.Command, collect.ListProfilesCommand, change.ConvertCommand, report.Command)
}
