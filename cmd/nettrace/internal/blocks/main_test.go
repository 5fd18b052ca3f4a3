package blocks_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/blocks"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
)

func TestMain(m *testing.M) { programtest.Main(m, blocks.Command) }
