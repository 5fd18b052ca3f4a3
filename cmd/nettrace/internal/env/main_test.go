package env_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/env"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
)

func TestMain(m *testing.M) { programtest.Main(m, env.Command) }
