package conformance_test

import (
	"testing"

	command "github.com/nettrace-go/nettrace/cmd/nettrace/internal/conformance"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
)

func TestMain(m *testing.M) { programtest.Main(m, command.Command) }
