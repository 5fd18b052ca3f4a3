//go:build !race && !nettrace_poison

package raw

const poisoned = false
