package query_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/counters"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/events"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/info"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	command "github.com/nettrace-go/nettrace/cmd/nettrace/internal/query"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/report"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/top"
)

// TestMain lets a test start the program as a process of its own.
func TestMain(m *testing.M) {
	programtest.Main(m, counters.Command, events.Command, command.Command, report.Command, top.Command, info.Command)
}
