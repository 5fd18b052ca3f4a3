package perf

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"
)

// ReadKernelSymbols reads the functions in /proc/kallsyms, sorted by address. They are nil if
// the system hides the addresses: it shows them to root and with CAP_SYSLOG.
func ReadKernelSymbols(r io.Reader) ([]KernelSymbol, error) {
	var list []KernelSymbol
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		address, rest, _ := strings.Cut(lines.Text(), " ")
		kind, name, _ := strings.Cut(rest, " ")
		if len(kind) != 1 || !strings.Contains("tTwW", kind) {
			continue
		}
		at, err := strconv.ParseUint(address, 16, 64)
		if err != nil || at == 0 {
			continue
		}
		name, _, _ = strings.Cut(name, "\t") // of a module, whose name follows
		list = append(list, KernelSymbol{at, name})
	}
	slices.SortStableFunc(list, func(a, b KernelSymbol) int { return compare(a.Address, b.Address) })
	return slices.CompactFunc(list, func(a, b KernelSymbol) bool { return a.Address == b.Address }), lines.Err()
}

// kernelStart is the first address of the kernel.
const kernelStart = 0xffff_8000_0000_0000

// farthest is the largest distance of an address from the symbol before it, for the last one.
const farthest = 1 << 20

// kernelSymbolAt returns the function with an address, and the last address of it.
func kernelSymbolAt(list []KernelSymbol, address uint64) (s KernelSymbol, end uint64, ok bool) {
	at, _ := slices.BinarySearchFunc(list, address+1, func(s KernelSymbol, a uint64) int { return compare(s.Address, a) })
	switch {
	case at == 0:
		return s, 0, false
	case at < len(list):
		return list[at-1], list[at].Address - 1, true
	}
	s = list[at-1]
	return s, s.Address + farthest - 1, address-s.Address < farthest
}
