//go:build !linux

package eventpipe

// Halted returns "": this system does not report why a process executes nothing.
func Halted(int) string { return "" }

// isGone returns false: see Halted.
func isGone(int) bool { return false }
