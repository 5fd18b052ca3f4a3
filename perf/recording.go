package perf

import (
	"io"
	"iter"
)

// Recording is the records of one process, and what is needed to read them.
type Recording struct {
	PID        int    // of the process
	Name       string // of the program
	Processors int    // number of processors of the machine
	UserOnly   bool   // the kernel is not recorded
	// Start and End are the times of the recording, in nanoseconds of the process's CLOCK_MONOTONIC, and
	// StartReal is Start in nanoseconds since 1970.
	Start, End, StartReal uint64
	// Maps are the mappings of code at the start, and Threads the names of the threads.
	Maps    []Mapping
	Threads map[uint32]string // see Maps
	// Records iterates over the records in the order of their times, which are of the same clock,
	// from the beginning at each call. A record is valid until the next one.
	Records iter.Seq2[*Record, error]
	// Open opens a file of the process by its path; nil: none can be opened.
	Open func(path string) (io.ReadCloser, error)
	// Kernel has the symbols of the kernel, sorted by address; nil if they are not known.
	Kernel []KernelSymbol
}

// KernelSymbol is a function of the kernel.
type KernelSymbol struct {
	Address uint64 // of its first instruction
	Name    string // as in the kernel's source
}
