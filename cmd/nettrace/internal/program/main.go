package program

import "github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"

// Main runs the command line of the process, and ends the process with the exit code.
func Main() { run.Main("nettrace", Root) }
