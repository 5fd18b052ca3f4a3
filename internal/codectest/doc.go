// Package codectest has the tests of module codec that need packages that codec
// must not require: traces of corpora and shared, package gen, the conformance
// checker. The folders below it test the packages of codec/clr. Tests that need
// the standard library only are in codec itself.
package codectest
