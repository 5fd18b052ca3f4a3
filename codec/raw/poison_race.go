//go:build race

package raw

// poisoned makes the Reader decode from its own copy of every block and
// overwrite it when it is spent, so that a program that keeps borrowed bytes
// sees at once that they are gone.
const poisoned = true
