// Package heapdominators compares the dominators of package codec/clr/heap with
// those of gonum.
package heapdominators
