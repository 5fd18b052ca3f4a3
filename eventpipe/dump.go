package eventpipe

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// DumpType is how much of the process's memory a dump holds.
type DumpType uint32

// The types of dump.
const (
	DumpNormal   DumpType = 1 // threads, their stacks, what exceptions need
	DumpWithHeap DumpType = 2 // and all heaps
	DumpTriage   DumpType = 3 // as DumpNormal, without personal data
	DumpFull     DumpType = 4 // all memory
)

// DumpConfig says what to write where. Path and Type are needed.
type DumpConfig struct {
	// Path is where the target writes the file: a path of its own file
	// system, with its own rights.
	Path        string
	Type        DumpType
	Log         bool // the target tells on its standard output how it goes
	VerboseLog  bool // in more words
	CrashReport bool // writes Path.crashreport.json too
}

func (d *DumpConfig) flags() uint32 {
	flags := uint32(0)
	for i, set := range []bool{d.Log, d.VerboseLog, d.CrashReport} {
		if set {
			flags |= 1 << i
		}
	}
	return flags
}

// WriteDump makes the process write a dump of itself, and waits until it is
// written, at most Timeouts.Dump. Why it failed is in the error whole, as the
// runtime put it, where that is .NET 7 or later; so is a file that is not there
// afterwards, where it can be looked for. The process stands still
// meanwhile. A context that ends sooner ends the waiting, not the writing.
func (c *Client) WriteDump(ctx context.Context, d DumpConfig) error {
	lowest, feature := GenerateCoreDump, "writing dumps"
	if d.VerboseLog || d.CrashReport {
		lowest, feature = GenerateCoreDump2, "a dump with a crash report or a verbose log"
	}
	payload := appendString(nil, d.Path)
	payload = binary.LittleEndian.AppendUint32(payload, uint32(d.Type))
	payload = binary.LittleEndian.AppendUint32(payload, d.flags())
	for cmd := GenerateCoreDump3; ; cmd-- {
		reply, err := c.ask(ctx, cmd, payload, c.Timeouts.dump())
		if isUnknown(err) && cmd > lowest {
			continue
		}
		if err != nil {
			return unsupported(err, cmd, feature)
		}
		if err := result(cmd, reply); err != nil {
			return err
		}
		return c.verify(cmd, d.Path)
	}
}

// verify looks for the file where the target's files can be seen: a runtime
// whose helper program is missing may say that all went well. A path with
// templates, such as %p, is one that we do not know.
func (c *Client) verify(cmd Command, path string) error {
	if c.root == "" || !filepath.IsAbs(path) || strings.Contains(path, "%") {
		return nil
	}
	if _, err := os.Stat(filepath.Join(c.root, path)); errors.Is(err, os.ErrNotExist) {
		return &ProtocolError{cmd, "the runtime says that the dump is written, and there is no file " + path}
	}
	return nil
}
