// Release checks and prepares a release.
//
//	release check -version v0.1.0     check a release before its tags exist
//	release tag -version v0.1.0       print the tags of a version; -run sets them
//	release notes -version v0.1.0     print the section of CHANGELOG.md
//	release notices                   write THIRD_PARTY_NOTICES
//	release api -version v0.1.0       compare the public API with the last tag
//
// The Makefile has a target for each command.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// options are the flags of all commands.
type options struct {
	version string // of all modules
	repo    string // folder
	run     bool   // set the tags
	all     bool   // build all platforms
	verbose bool
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// command is a command of this program.
type command struct {
	name string
	run  func(*options, io.Writer) error
}

func commands() []command {
	return []command{
		{"check", check},
		{"tag", tag},
		{"notes", notes},
		{"notices", writeNotices},
		{"api", api},
	}
}

// run runs the command that the arguments name.
func run(args []string, out io.Writer) error {
	name := ""
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	for _, c := range commands() {
		if c.name != name {
			continue
		}
		o, err := parse(args)
		if err != nil {
			return err
		}
		return c.run(o, out)
	}
	return fmt.Errorf("no command %q: want check, tag, notes, notices or api", name)
}

// parse parses the flags of a command.
func parse(args []string) (*options, error) {
	o := new(options)
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&o.version, "version", "", "the `VERSION` of all modules, such as v0.1.0")
	flags.StringVar(&o.repo, "repo", "..", "the `DIR` of the repository")
	flags.BoolVar(&o.run, "run", false, "tag: set the tags")
	flags.BoolVar(&o.all, "all", false, "check: build all platforms")
	flags.BoolVar(&o.verbose, "v", false, "print each go command")
	err := flags.Parse(args)
	if err == nil {
		o.repo, err = filepath.Abs(o.repo)
	}
	return o, err
}
