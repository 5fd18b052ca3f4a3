// Package units parses sizes and times with units, the values of flags.
package units

import "github.com/nettrace-go/nettrace/internal/bytesize"

// ParseSize reads a number of bytes with a unit: 500MB, 1.5GiB, 4096B.
func ParseSize(text string) (int64, error) { return bytesize.Parse(text) }
