//go:build unix

package interactive

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gdamore/tcell/v2"
)

// stopTime is the max time until the program stops after the signal.
const stopTime = 200 * time.Millisecond

// suspend stops the program as Ctrl-Z does without a page. The shell continues it.
func suspend(screen tcell.Screen) {
	if screen.Suspend() != nil {
		return
	}
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	_ = syscall.Kill(0, syscall.SIGTSTP)
	select {
	case <-continued:
	case <-time.After(stopTime): // nothing stops a process whose shell has ended
	}
	_ = screen.Resume()
}
