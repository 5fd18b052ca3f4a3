package info_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
)

func TestGolden(t *testing.T) {
	programtest.Golden(t, "info", "info")
	programtest.Golden(t, "info-json", "info", "--json")
}
