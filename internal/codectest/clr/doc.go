// Package clr tests package codec/clr on traces.
package clr
