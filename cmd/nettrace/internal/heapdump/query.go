package heapdump

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/units"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// Query chooses what is shown of a dump, by the flags of the command heap.
type Query struct {
	Selection
	Paths      string  // paths to the objects of this type
	Dominators bool    // the dominator tree
	Below      string  // the rows of the tree from the one with this path on
	Roots      bool    // the roots
	Limit      uint64  // rows of a table, 0: all
	MinPercent float64 // of the bytes that a row of the tree retains
}

// AddFlags adds the flags.
func (q *Query) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&q.Paths, "paths", "", "print the paths from roots to the objects of this `TYPE`, a name or glob")
	f.BoolVar(&q.Dominators, "dominators", false, "print a tree of what the objects of each type retain")
	f.StringVar(&q.Below, "below", "", "with --dominators: only the row with this `PATH`, 'NAME > NAME', and the rows below it")
	f.BoolVar(&q.Roots, "roots", false, "print the roots by kind, and the static fields")
	f.Uint32Var(&q.Collection, "gc", 0, "show the dump of the collection with this number `N`; 0 for the last one")
	f.BoolVar(&q.Partial, "partial", false, "show a dump of which data was lost")
	f.Uint64Var(&q.Limit, "limit", 30, "print at most `N` rows; 0 for all, which is the default of --dominators")
	f.Var(units.Percent(&q.MinPercent, 1), "min", "with --dominators: leave out rows with less than this `PERCENT` of all bytes, or of --below")
	f.BoolVar(&q.RawNames, "raw-names", false, "print the names of types as they are in the file")
}

// Complete refuses flags that exclude each other, and sets those that depend on others.
func (q *Query) Complete(f *pflag.FlagSet) error {
	if q.Dominators && !f.Changed("limit") {
		q.Limit = 0 // --min keeps it short
	}
	switch {
	case q.views() > 1:
		return errors.New("--paths, --dominators, --roots and --diff exclude each other")
	case !(q.MinPercent >= 0 && q.MinPercent <= 100):
		return errors.New("--min is a percentage")
	case !q.Dominators && q.Below != "":
		return errors.New("--below needs --dominators")
	case !q.Dominators && f.Changed("min"):
		return errors.New("--min needs --dominators")
	}
	return nil
}

// views returns how many views the flags ask for; without one, types are shown.
func (q *Query) views() (n int) {
	for _, given := range []bool{q.Paths != "", q.Dominators, q.Roots} {
		if given {
			n++
		}
	}
	return n
}

// IsTypes reports whether the query shows types.
func (q *Query) IsTypes() bool { return q.views() == 0 }

// Tables returns what the query shows.
func (q *Query) Tables(ctx context.Context, d *Dump) (*Tables, error) {
	switch {
	case q.Paths != "":
		return q.rootPaths(ctx, d)
	case q.Dominators:
		return q.dominators(d)
	case q.Roots:
		return q.rootTotals(d), nil
	}
	return q.typeTotals(d), nil
}

// typeName returns the name of a type as it is shown.
func (q *Query) typeName(d *Dump, name string) string {
	if q.RawNames || d.GCDump != nil || strings.HasPrefix(name, "type 0x") {
		return name
	}
	return symbols.TypeName(name)
}
