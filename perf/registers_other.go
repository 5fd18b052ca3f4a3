//go:build !amd64

package perf

// HasRegisters reports whether registers and stacks can be recorded on this processor: only
// those of x86-64 are known.
const HasRegisters = false

const registerMask = 0
