// Command nettrace shows what NetTrace files of every version hold, checks and
// changes them, and records running processes.
package main

import "github.com/nettrace-go/nettrace/cmd/nettrace/internal/program"

func main() { program.Main() }
