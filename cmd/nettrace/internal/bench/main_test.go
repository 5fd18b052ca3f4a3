package bench_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/bench"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
)

func TestMain(m *testing.M) { programtest.Main(m, bench.Command) }
