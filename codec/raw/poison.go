//go:build !race

package raw

const poisoned = false
