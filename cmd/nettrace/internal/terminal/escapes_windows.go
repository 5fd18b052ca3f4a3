package terminal

import (
	"io"
	"os"

	"github.com/mattn/go-isatty"
	"golang.org/x/sys/windows"
)

// enableEscapes makes the console understand escape sequences and reports whether it does.
// The terminals of Cygwin always do.
func enableEscapes(stdout io.Writer) bool {
	f := stdout.(*os.File)
	if isatty.IsCygwinTerminal(f.Fd()) {
		return true
	}
	var mode uint32
	console := windows.Handle(f.Fd())
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
