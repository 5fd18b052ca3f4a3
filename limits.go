package nettrace

import "github.com/nettrace-go/nettrace/codec"

// LargeLimits returns limits for a program in which a user waits for the result, as those
// of profile.LargeLimits and analysis.LargeLimits are: blocks and tables of up to 1 GiB.
func LargeLimits() codec.Limits {
	return codec.Limits{
		Block: 1 << 30, Metadata: 1 << 20, Fields: 1 << 16, Nesting: 1000, Threads: 1 << 22, Labels: 1 << 24,
		Stacks: 512 << 20, Total: 1 << 30,
	}
}
