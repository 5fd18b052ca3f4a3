package samples

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/symbols"
)

// LineFlags holds the values of the flags that say where the files of modules are.
type LineFlags struct{ folders, symbols []string }

// AddFlags adds these flags.
func (o *LineFlags) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.folders, "pdb", nil, "look for portable PDBs and assemblies only in the folder `DIR`: output of a build, symbol store (NAME/ID/NAME) or .snupkg files; can be given several times (default: the recorded paths of the modules, on this machine)")
	f.StringArrayVar(&o.symbols, "symbols", nil, "look for the symbols of native programs (NAME.dbg), by build id, in the folder `DIR`; can be given several times")
}

// Given reports whether a folder is given.
func (o *LineFlags) Given() bool { return len(o.folders)+len(o.symbols) > 0 }

// LinesHelp explains source lines in the help of a command.
const LinesHelp = "Source lines need a map from native code to IL in the recording and a portable PDB of the same\n" +
	"build: beside the assembly, in it, or in --pdb. The map of code that was compiled ahead of time is\n" +
	"in the assembly. Where the compiler merged statements, the lines are a range: cart.cs:42-44. In a\n" +
	"catch block the runtime has only the line of the call that threw; --details marks it.\n" +
	"--pdb also names methods that were compiled ahead of time in a recording without rundown, --symbols\n" +
	"those of a NativeAOT program.\n"

// Resolver returns what finds source lines. It returns an error for a folder that does not
// exist.
func (o *LineFlags) Resolver() (*symbols.Resolver, error) {
	for flag, folders := range map[string][]string{"pdb": o.folders, "symbols": o.symbols} {
		for _, path := range folders {
			if about, err := os.Stat(path); err != nil {
				return nil, fmt.Errorf("--%s: %w", flag, err)
			} else if !about.IsDir() {
				return nil, fmt.Errorf("--%s: %s is not a folder", flag, path)
			}
		}
	}
	return symbols.NewResolver(symbols.Options{Folders: append(o.folders, o.symbols...), RecordedPaths: true}), nil
}

// LineTexts returns a sentence about the methods in stacks that have no source line, by the reason,
// and one about samples that may be in a catch block.
func LineTexts(p *profile.Profile, of profile.Type) []string {
	type missing struct {
		function profile.FunctionID
		why      symbols.Missing
	}
	stacks, met, methods, uncertain := map[profile.StackID]bool{}, map[missing]bool{}, map[symbols.Missing]int64{}, int64(0)
	for s := range p.Samples(of) {
		in, known := stacks[s.Stack]
		if !known {
			stack := p.Stack(s.Stack)
			for _, id := range stack {
				f := p.Frame(id)
				one := missing{f.Function, p.Location(id).Missing}
				if one.why == symbols.Found || met[one] || KindOf(p, &f, p.Function(f.Function)) != "managed" {
					continue
				}
				if one.why == symbols.NoMethod { // a method without a body in the trace
					one.why = symbols.NoMap
				}
				met[one] = true
				methods[one.why]++
			}
			in = len(stack) > 0 && p.Location(stack[0]).Line > 0 && p.Uncertain(stack, 0) != ""
			stacks[s.Stack] = in
		}
		if in {
			uncertain++
		}
	}
	var texts, parts []string
	for _, why := range slices.Sorted(maps.Keys(methods)) {
		parts = append(parts, fmt.Sprintf("%s (%s)", display.Counted(methods[why], "method"), why))
	}
	if len(parts) > 0 {
		texts = append(texts, "no line: "+strings.Join(parts, ", "))
	}
	if uncertain > 0 {
		texts = append(texts, fmt.Sprintf("%s may be in a catch block: the line is that of the call that threw", display.Counted(uncertain, "sample")))
	}
	return texts
}

// LineText is a source line for users: "cart.cs:42", "cart.cs:42-44" for merged statements; ""
// without a line.
func LineText(where *symbols.Location) string {
	if where.Line == 0 {
		return ""
	}
	text := where.File[strings.LastIndexAny(where.File, `/\`)+1:] + ":" + strconv.Itoa(where.Line)
	if where.EndLine > where.Line {
		text += "-" + strconv.Itoa(where.EndLine)
	}
	return text
}
