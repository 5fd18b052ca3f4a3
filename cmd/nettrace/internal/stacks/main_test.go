package stacks_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/stacks"
)

func TestMain(m *testing.M) { programtest.Main(m, stacks.Command) }
