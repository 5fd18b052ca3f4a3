package summarize_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/check"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/events"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/info"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/query"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/report"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/summarize"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/top"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/view"
)

// TestMain lets a test start the program as a process of its own.
func TestMain(m *testing.M) {
	programtest.Main(m, check.Command, events.Command, info.Command, query.Command, report.Command, summarize.Command, top.Command, view.Command)
}
