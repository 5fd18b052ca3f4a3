// Casegen makes the cases of conformance/cases and compares them with the cases in
// the repository: a byte that differs is an error. With -write it writes them
// instead: "make cases".
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	write := flag.Bool("write", false, "write the cases to the folder conformance/cases of the current folder")
	flag.Parse()
	if err := run("conformance/cases", *write); err != nil {
		fmt.Fprintln(os.Stderr, "casegen:", err)
		os.Exit(1)
	}
}

// run compares the cases with those of a folder, or writes them there.
func run(dir string, write bool) error {
	files, err := makeFiles()
	if err != nil {
		return err
	}
	want := divide(files)
	if write {
		return want.write(dir)
	}
	return want.compare(dir)
}
