// Package symbols tests package codec/clr/symbols on traces.
package symbols
