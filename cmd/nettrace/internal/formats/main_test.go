package formats_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/change"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/collect"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/info"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/top"
)

func TestMain(m *testing.M) {
	programtest.Main(m, collect.Command, change.ConvertCommand, info.Command, change.MergeCommand, change.RepairCommand, change.SliceCommand, top.Command)
}
