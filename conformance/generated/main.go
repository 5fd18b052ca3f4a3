// Generated makes the traces of corpora that package gen makes, and compares them
// with those that are kept: a byte that differs is an error. With -write it keeps
// them instead: "make corpora".
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/corpora"
)

func main() {
	write := flag.Bool("write", false, "write the traces to the folder corpora of the repository")
	flag.Parse()
	if err := run(*write); err != nil {
		fmt.Fprintln(os.Stderr, "generated:", err)
		os.Exit(1)
	}
}

func run(write bool) error {
	for _, t := range traces() {
		data, err := t.bytes()
		if err != nil {
			return err
		}
		if !write {
			if err := t.compare(data); err != nil {
				return err
			}
			continue
		}
		if err := corpora.Keep(t.entry(data), data); err != nil {
			return err
		}
	}
	return nil
}

// events is the approximate number of events of each trace, and seed its seed.
const (
	events = 4000
	seed   = 1
)

// trace is one that gen makes.
type trace struct {
	profile gen.Profile
	format  wire.Format
}

// traces lists them: each profile in each version that has its own framing.
func traces() []trace {
	var list []trace
	for _, p := range gen.Profiles() {
		for _, f := range p.Formats {
			if !f.HasTags() {
				list = append(list, trace{p, f})
			}
		}
	}
	return list
}

func (t trace) name() string { return fmt.Sprintf("gen-%s.v%d", t.profile.Name, t.format.Major) }

func (t trace) bytes() ([]byte, error) {
	var out bytes.Buffer
	err := t.profile.Write(&out, gen.Order{Events: events, Format: t.format, Seed: seed})
	return out.Bytes(), err
}

// entry is the trace's row of MANIFEST, without the columns that Keep computes.
func (t trace) entry(data []byte) corpora.Entry {
	whole := 0
	for _, err := range codec.NewBytesReader(data, codec.Options{}).Events() {
		if err == nil {
			whole++
		}
	}
	return corpora.Entry{
		Name: t.name(), Events: whole, Format: fmt.Sprintf("v%d", t.format.Major), Licence: "MIT",
		Origin: fmt.Sprintf("made: gen -profile %s -events %d -format v%d -seed %d", t.profile.Name, events, t.format.Major, seed),
	}
}

// compare finds the first byte that differs from the kept trace.
func (t trace) compare(data []byte) error {
	kept, err := corpora.Open(t.name())
	if err != nil {
		return fmt.Errorf("%w: run \"make corpora\"", err)
	}
	if bytes.Equal(kept, data) {
		return nil
	}
	at := 0
	for at < min(len(kept), len(data)) && kept[at] == data[at] {
		at++
	}
	return fmt.Errorf("%s: made %d bytes, kept %d; they differ at %d", t.name(), len(data), len(kept), at)
}
