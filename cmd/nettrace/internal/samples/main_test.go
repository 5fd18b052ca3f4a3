package samples_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/change"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/stacks"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/top"
)

func TestMain(m *testing.M) { programtest.Main(m, change.ConvertCommand, stacks.Command, top.Command) }
