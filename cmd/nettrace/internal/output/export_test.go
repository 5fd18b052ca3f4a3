package output

import "github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"

// Goroutines returns the number of goroutines for an input.
func Goroutines(o *Target, in *input.File) int { return o.goroutines(in) }
