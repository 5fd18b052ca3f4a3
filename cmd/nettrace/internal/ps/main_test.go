package ps_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/ps"
)

func TestMain(m *testing.M) { programtest.Main(m, ps.Command) }
