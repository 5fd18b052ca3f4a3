//go:build !linux

package memory

// TrimCode does nothing on this system.
func TrimCode() {}
