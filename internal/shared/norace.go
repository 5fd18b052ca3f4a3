//go:build !race

package shared

// Race reports whether this is built with the race detector, which makes all ten
// times slower.
const Race = false
