package top_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/change"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/query"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/report"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/stacks"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/summarize"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/top"
)

// TestMain lets a test start the program as a process of its own.
func TestMain(m *testing.M) {
	programtest.Main(m, change.ConvertCommand, change.MergeCommand, query.Command, report.Command, stacks.Command, summarize.Command, top.Command)
}
