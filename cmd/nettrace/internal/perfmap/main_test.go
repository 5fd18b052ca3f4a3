package perfmap_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/perfmap"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
)

func TestMain(m *testing.M) { programtest.Main(m, perfmap.Command) }
