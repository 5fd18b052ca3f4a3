//go:build race || nettrace_poison

package raw

// poisoned makes the Reader decode from its own copy of every block and overwrite
// it after use, so that a program that keeps borrowed bytes fails at once: under the
// race detector, and with a build tag without it, where tests read more traces.
const poisoned = true
