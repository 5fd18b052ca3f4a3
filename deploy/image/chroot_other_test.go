//go:build !linux

package main

import "testing"

// runIn is not called: needsRoot skips the tests.
func runIn(t *testing.T, _ string, _ ...string) string {
	t.Fatal("chroot needs Linux")
	return ""
}
