// Image writes the container image of nettrace: "make image".
//
// The image has the program, the CA certificates that Mozilla trusts, the licences of both
// and the folder /tmp, and nothing else. It has a variant for each platform. The archive is an OCI
// image layout, which crane, skopeo, podman and docker read. It is made without a
// registry and without a daemon. The version, the commit and the time of the image are
// those that the go command wrote into the programs, so that the same programs give
// the same bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	output := flag.String("o", "", "write the archive to `FILE`")
	repo := flag.String("repo", "..", "read the licences from the repository in `DIR`")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: image -o FILE [-repo DIR] ARCHITECTURE=PROGRAM...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(*output, *repo, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// run writes an image with the programs to an archive.
func run(output, repo string, args []string) error {
	switch {
	case output == "":
		return errors.New("no file: pass -o nettrace-image.tar")
	case len(args) == 0:
		return errors.New("no program: pass amd64=bin/nettrace")
	}
	programs, err := readPrograms(args)
	if err != nil {
		return err
	}
	var d description
	if d.release, err = describe(programs); err != nil {
		return err
	}
	if d.licence, err = os.ReadFile(filepath.Join(repo, "LICENSE")); err != nil {
		return err
	}
	if d.notices, err = os.ReadFile(filepath.Join(repo, "THIRD_PARTY_NOTICES")); err != nil {
		return err
	}
	return d.write(programs, output)
}

// write writes an image with the programs to an archive.
func (d *description) write(programs []binary, output string) error {
	index, err := d.index(programs)
	if err != nil {
		return err
	}
	return writeArchive(index, d.created, output)
}
