//go:build !unix

package interactive

import "github.com/gdamore/tcell/v2"

// suspend does nothing: the system does not stop programs.
func suspend(tcell.Screen) {}
