// Package cgo has the row loop of version 4 in C, to compare it with the one in
// Go. The released modules need no C compiler.
//
// "make bench-c" compiles it with the flags under which gcc is fastest on this
// loop: plain -O3 packs the stores and makes branches into moves, which is slower
// in total.
package cgo
