package eventpipe

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// DumpType selects how much of the process's memory a dump contains.
type DumpType uint32

// The types of dump.
const (
	DumpNormal   DumpType = 1 // threads, their stacks, and the memory that exceptions refer to
	DumpWithHeap DumpType = 2 // DumpNormal and all heaps
	DumpTriage   DumpType = 3 // DumpNormal without personal data
	DumpFull     DumpType = 4 // all memory
)

// DumpConfig configures a dump. Path and Type are required.
type DumpConfig struct {
	// Path is the file that the target writes. It is a path in the target's
	// file system; the target writes it with its own permissions.
	Path string
	// Type is the amount of memory in the dump.
	Type        DumpType
	Log         bool // the target logs progress to its standard output
	VerboseLog  bool // the target logs details too; requires .NET 6
	CrashReport bool // the target also writes Path.crashreport.json; requires .NET 6
}

// check returns an error for a dump that the target would not write, or elsewhere: without a
// path .NET 7 and later write into their temporary folder, and others die.
func (d *DumpConfig) check() error {
	switch {
	case d.Path == "":
		return errors.New("eventpipe: the dump has no path")
	case strings.ContainsRune(d.Path, 0):
		return fmt.Errorf("eventpipe: dump %q: a NUL ends the path", d.Path)
	case d.Type < DumpNormal || d.Type > DumpFull:
		return fmt.Errorf("eventpipe: dump %s: type %d is not one of %d to %d", d.Path, d.Type, DumpNormal, DumpFull)
	}
	return nil
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

// WriteDump makes the process write a dump of itself. It waits until the dump
// is written, at most Timeouts.Dump; the process is suspended meanwhile. On
// .NET 7 or later a *[CommandError] has the runtime's complete message.
// WriteDump also returns an error if the runtime reports success and the file
// does not exist or has not changed, where the target's file system can be read.
// A context that ends sooner ends the waiting, not the writing.
func (c *Client) WriteDump(ctx context.Context, d DumpConfig) error {
	if err := d.check(); err != nil {
		return err
	}
	lowest, feature := GenerateCoreDump, "writing dumps"
	if d.VerboseLog || d.CrashReport {
		lowest, feature = GenerateCoreDump2, "a dump with a crash report or a verbose log"
	}
	payload := appendString(nil, d.Path)
	payload = binary.LittleEndian.AppendUint32(payload, uint32(d.Type))
	payload = binary.LittleEndian.AppendUint32(payload, d.flags())
	before, _ := os.Stat(filepath.Join(c.root, d.Path)) // nil if there is none
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
		return c.verify(cmd, d.Path, before)
	}
}

// verify checks that the file is another one than before if the target's files are
// visible: a runtime without its helper program may report success. A path with
// templates, such as %p, is not checked.
func (c *Client) verify(cmd Command, path string, before os.FileInfo) error {
	if c.root == "" || !filepath.IsAbs(path) || strings.Contains(path, "%") {
		return nil
	}
	after, err := os.Stat(filepath.Join(c.root, path))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &ProtocolError{Command: cmd, What: "the runtime reports that the dump is written, but there is no file " + path}
	case err == nil && before != nil && os.SameFile(before, after) && after.Size() == before.Size() && after.ModTime().Equal(before.ModTime()):
		return &ProtocolError{Command: cmd, What: "the runtime reports that the dump is written, but the file " + path + " has not changed"}
	}
	return nil
}
