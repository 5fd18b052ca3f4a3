package programtest

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/program"
)

// Main runs the tests of a package whose tests call Process: the test binary is then the
// program.
func Main(m *testing.M) {
	if os.Getenv("NETTRACE_TEST_MAIN") != "" {
		program.Main()
	}
	if signal.Ignored(syscall.SIGHUP) { // by nohup; the processes that tests start would ignore it too
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	os.Exit(m.Run())
}
