// Notices writes THIRD_PARTY_NOTICES: the licences of what the program and its container
// image contain.
//
//	notices [-repo DIR]           write the file
//	notices [-repo DIR] -check    fail if the file is not what would be written
//
// go-licenses knows Go modules only. The page of view contains npm packages too, and the
// image CA certificates.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// fileName is the file, in the root of the repository.
const fileName = "THIRD_PARTY_NOTICES"

func main() {
	repo := flag.String("repo", "..", "the `DIR` of the repository")
	check := flag.Bool("check", false, "compare the file")
	flag.Parse()
	if err := run(*repo, *check); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// run writes or checks the file.
func run(repo string, check bool) error {
	contained, err := contained(repo)
	if err != nil {
		return err
	}
	text, err := format(contained)
	if err != nil {
		return err
	}
	name := filepath.Join(repo, fileName)
	fmt.Printf("%s: %d bytes for %d parts\n", fileName, len(text), len(contained))
	if !check {
		return os.WriteFile(name, []byte(text), 0o644)
	}
	got, err := os.ReadFile(name)
	if err == nil && string(got) != text {
		err = fmt.Errorf("%s is not that of what is contained: run make notices", fileName)
	}
	return err
}
