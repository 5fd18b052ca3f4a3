// Package counters tests package codec/clr/counters on traces.
package counters
