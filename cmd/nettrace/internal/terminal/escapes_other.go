//go:build !windows

package terminal

import "io"

// enableEscapes reports whether the terminal understands escape sequences.
func enableEscapes(io.Writer) bool { return true }
