// Package heap tests package codec/clr/heap on traces.
package heap
