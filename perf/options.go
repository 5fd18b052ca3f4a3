package perf

import (
	"errors"
	"fmt"
)

// Options configure a Recorder. PID is required.
type Options struct {
	// PID is the process to record.
	PID int
	// Rate is the number of samples per second of processor time. Default: DefaultRate.
	Rate int
	// StackBytes is the number of bytes of the stack that each sample has, with the
	// registers, for package perf/unwind. They can hold whatever the process has there, also
	// secrets. 0: none. It has no effect where HasRegisters is false.
	StackBytes int
	// NoSwitches leaves out when threads left their processors.
	NoSwitches bool
	// UserOnly leaves out the kernel even where it may be recorded.
	UserOnly bool
}

// DefaultRate is a prime, so that no work repeats in step with it.
const DefaultRate = 997

// maxStackBytes is the largest copy that the kernel makes: the size of a record has 16 bits.
const maxStackBytes = 32 << 10

func (o *Options) check() error {
	switch {
	case o.PID <= 0:
		return errors.New("perf: no process")
	case o.Rate < 0 || o.Rate > 100_000:
		return fmt.Errorf("perf: a rate of %d samples per second: want 1 to 100,000", o.Rate)
	case o.StackBytes < 0 || o.StackBytes > maxStackBytes || o.StackBytes%8 != 0:
		return fmt.Errorf("perf: %d bytes of stack: want a multiple of 8 up to %d", o.StackBytes, maxStackBytes)
	}
	if o.Rate == 0 {
		o.Rate = DefaultRate
	}
	if !HasRegisters {
		o.StackBytes = 0
	}
	return nil
}

// Scope is what may be recorded.
type Scope struct {
	// Kernel reports that samples in the kernel are recorded. Without them the time in system
	// calls is missing.
	Kernel bool
	// Why is the reason why Kernel is not set; "" if the user asked for that.
	Why string
}

// PermissionError means that the system does not permit to record a process.
type PermissionError struct {
	// Reason says who forbids it and what would permit it.
	Reason string
	Err    error // of the system call
}

// Error returns the reason.
func (e *PermissionError) Error() string { return "perf: " + e.Reason }

// Unwrap returns the error of the system call.
func (e *PermissionError) Unwrap() error { return e.Err }

// Counts are what a Recorder has recorded so far.
type Counts struct {
	Samples, Switches uint64 // records
	// Lost is the number of records that had no room, Throttles how often the system
	// reduced the rate.
	Lost, Throttles uint64
	// RingBytes is the size of the ring of each processor.
	RingBytes int
	// Threads and Descriptors are what was opened at the start.
	Threads, Descriptors int
}
