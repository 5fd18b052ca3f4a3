// Package terminal fits text to the terminal: it aligns the columns of tables, shortens
// names in the middle, breaks long lines and colours text. Output to a file or a pipe is
// neither shortened nor wrapped.
package terminal

import (
	"io"
	"os"
	"strconv"

	"github.com/mattn/go-isatty"
	"golang.org/x/term"
)

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// Width returns the columns of the terminal w: those of the variable COLUMNS, otherwise
// those that the terminal reports. It returns 0 if w is no terminal, or one of unknown
// width.
func Width(w io.Writer) int {
	if !IsTerminal(w) {
		return 0
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	n, _, err := term.GetSize(int(w.(*os.File).Fd()))
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// Screen describes the standard output of a command. The zero value is that of a file or a
// pipe.
type Screen struct {
	Terminal bool // standard output is a terminal
	Width    int  // columns of a line; 0: lines may have any width
	Colors   bool // text may be coloured
}
