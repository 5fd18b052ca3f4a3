package change_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/change"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/check"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/events"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/info"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/report"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/top"
)

func TestMain(m *testing.M) {
	programtest.Main(m, check.Command, change.ConvertCommand, change.DiffCommand, events.Command, info.Command, change.MergeCommand, change.RepairCommand, report.Command, change.SliceCommand, top.Command)
}
