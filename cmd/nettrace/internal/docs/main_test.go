//go:build check || nightly

package docs

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/program"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
)

func TestMain(m *testing.M) { programtest.MainOf(m, program.Root) }
