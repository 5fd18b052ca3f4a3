//go:build race

package raw

// poisoned makes the Reader decode from its own copy of every block and overwrite
// it after use, so that a program that keeps borrowed bytes fails at once.
const poisoned = true
