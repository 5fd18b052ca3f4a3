// Gen writes a trace that looks like those of a real writer to standard output.
//
//	go run ./gen/cmd/gen -profile cpu-sampling -events 1e6 -format v6 -seed 1 > x.nettrace
//
// The same flags give the same bytes everywhere.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run() error {
	name := flag.String("profile", "", "the profile; without one the profiles are listed")
	events := flag.String("events", "1e4", "number of events, about")
	format := flag.String("format", "v4", "version: v4, v5 or v6")
	seed := flag.Uint64("seed", 1, "other seeds give other traces")
	flag.Parse()
	if *name == "" {
		return list()
	}
	p, ok := gen.FindProfile(*name)
	if !ok {
		return fmt.Errorf("no profile %q", *name)
	}
	n, err := strconv.ParseFloat(*events, 64)
	if err != nil || n < 1 || n > 1e12 {
		return fmt.Errorf("-events: %q is not a number of events", *events)
	}
	f, ok := map[string]wire.Format{"v4": wire.V4, "v5": wire.V5, "v6": wire.V6}[*format]
	if !ok {
		return fmt.Errorf("-format: %q is not a format that gen writes", *format)
	}
	if info, err := os.Stdout.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		return errors.New("standard output is a terminal: redirect it to a file")
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	if err := p.Write(out, gen.Order{Events: int64(n), Format: f, Seed: *seed}); err != nil {
		return err
	}
	return out.Flush()
}

// list prints the profiles.
func list() error {
	for _, p := range gen.Profiles() {
		if _, err := fmt.Printf("%-13s %v %s\n", p.Name, p.Formats, p.Sentence); err != nil {
			return err
		}
	}
	return nil
}
