//go:build !race

package traces

// Race reports whether the race detector is built in.
const Race = false
