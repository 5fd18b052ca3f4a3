package view_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/change"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/check"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/events"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/heap"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/info"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/view"
)

func TestMain(m *testing.M) {
	programtest.Main(m, check.Command, change.ConvertCommand, events.Command, heap.Command, info.Command, change.MergeCommand, view.Command)
}
