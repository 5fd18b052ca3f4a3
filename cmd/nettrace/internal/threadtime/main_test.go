package threadtime_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/threadtime"
)

func TestMain(m *testing.M) { programtest.Main(m, threadtime.Command) }
