package input_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/bench"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/blocks"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/check"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/events"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/info"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/top"
)

func TestMain(m *testing.M) {
	programtest.Main(m, check.Command, info.Command, events.Command, blocks.Command, bench.Command, top.Command)
}
