//go:build !linux

package eventpipe

// halted returns "": this system does not report why a process executes nothing.
func halted(int) string { return "" }
