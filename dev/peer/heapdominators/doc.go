// Package heapdominators compares the dominators of package heap with
// those of gonum.
package heapdominators
