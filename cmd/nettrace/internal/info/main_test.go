package info_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/info"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
)

func TestMain(m *testing.M) { programtest.Main(m, info.Command) }
