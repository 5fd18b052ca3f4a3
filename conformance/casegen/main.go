// Casegen makes the cases of conformance/cases and compares them with the cases in
// the repository: a byte that differs is an error. With -write it writes them
// instead: "make cases". Their readable form is in docs/cases.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	write := flag.Bool("write", false, "write the cases to conformance/cases and docs/cases of the current folder")
	flag.Parse()
	if err := run(places{"conformance/cases", "docs/cases"}, *write); err != nil {
		fmt.Fprintln(os.Stderr, "casegen:", err)
		os.Exit(1)
	}
}

// run compares the cases with those that are kept, or writes them there.
func run(at places, write bool) error {
	files, err := makeFiles()
	if err != nil {
		return err
	}
	want := divide(files)
	if write {
		return want.write(at)
	}
	return want.compare(at)
}
