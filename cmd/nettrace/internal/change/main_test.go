package change_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/change"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
)

func TestMain(m *testing.M) {
	programtest.Main(m, change.ConvertCommand, change.DiffCommand, change.MergeCommand, change.RepairCommand, change.SliceCommand)
}
