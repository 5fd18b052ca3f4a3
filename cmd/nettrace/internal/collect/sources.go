package collect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/perftrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/symbolize"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/symbols"
)

// sourceLines is the value of --sources.
const sourceLines = "lines"

// checkSources returns an error for a value of --sources that is wrong, or has no effect.
func (o *options) checkSources() error {
	switch {
	case o.sources == "":
		return nil
	case o.sources != sourceLines:
		return fmt.Errorf("--sources: %q is not %s", o.sources, sourceLines)
	case o.ring != "" || o.rotates() || o.output == output.Stdout || o.unchanged || o.dump:
		return errors.New("--sources needs one file with stacks as output: no --ring, --rotate, -o -, --raw or --profile gcdump; nettrace symbolize adds lines to a file later")
	case o.noLines:
		return errors.New("--sources lines excludes --no-lines")
	}
	return nil
}

// complete does what follows the end of a recording: source lines are stored in the file, and it is
// converted. It reports whether all was done.
func (c *collecting) complete(a *attach.Process, name string) bool {
	stored := c.o.sources == "" || c.storeSources(name, filesOf(a))
	return c.convert(name) && stored
}

// filesOf returns where the files of a process are: in a container, below its root.
func filesOf(a *attach.Process) symbols.Options {
	opt := symbols.Options{RecordedPaths: true}
	if a.PID == 0 {
		return opt
	}
	if a.InNamespace() {
		opt.Root = fmt.Sprintf("/proc/%d/root", a.PID)
	}
	if program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", a.PID)); err == nil { // it has not ended
		opt.Program = filepath.Join(opt.Root, program)
	}
	return opt
}

// storeSources replaces a recording by one that has the source lines and native names of the code in
// its stacks, by files. It prints the reason if it does not.
func (c *collecting) storeSources(name string, files symbols.Options) bool {
	if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
		return false // nothing was recorded, which printResult has printed
	}
	c.converting.Add(1)
	defer c.converting.Add(-1)
	found, err := c.findSources(name, files)
	if err == nil {
		err = c.writeSources(found, name)
	}
	if err != nil {
		c.p.Complain("%s: no source lines are stored in it: %v", name, err)
		return false
	}
	c.p.Complain("%s: %s", name, found.Text())
	return true
}

// findSources looks for the files of the code in a recording.
func (c *collecting) findSources(name string, files symbols.Options) (*symbolize.Sources, error) {
	in, err := perftrace.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	resolver := symbols.NewResolver(files)
	found, err := symbolize.Find(c.giveUp, codec.NewReader(in, input.ReaderOptions(false)), resolver)
	switch {
	case c.giveUp.Err() != nil:
		return nil, context.Cause(c.giveUp)
	case found.Empty() && err != nil:
		return nil, err
	case found.Empty():
		return nil, symbolize.ErrNothing
	}
	return found, nil
}

// writeSources writes the recording with what was found.
func (c *collecting) writeSources(found *symbolize.Sources, name string) error {
	in, err := perftrace.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := output.Create(c.p, &output.Target{Name: name, Force: true})
	if err != nil {
		return err
	}
	if err := found.Write(c.giveUp, out, in); err != nil {
		out.Discard()
		return err
	}
	return out.Keep()
}
