package dump_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/dump"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
)

func TestMain(m *testing.M) { programtest.Main(m, dump.Command) }
