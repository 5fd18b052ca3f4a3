package stack_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/stack"
)

func TestMain(m *testing.M) { programtest.Main(m, stack.Command) }
