package check_test

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/check"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
)

func TestMain(m *testing.M) { programtest.Main(m, check.Command, version) }

// version is the command with which check-changed.sh tries whether the program runs.
func version(*run.Program) *cobra.Command {
	return &cobra.Command{Use: "version", Run: func(*cobra.Command, []string) {}}
}
