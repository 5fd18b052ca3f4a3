// Package dump is the command dump, which makes a running process write a core dump.
package dump

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// types are the values of --type, those of dotnet-dump.
var types = []struct {
	name string
	kind eventpipe.DumpType
}{
	{"full", eventpipe.DumpFull}, {"heap", eventpipe.DumpWithHeap}, {"mini", eventpipe.DumpNormal}, {"triage", eventpipe.DumpTriage},
}

// options are the flags of dump.
type options struct {
	attach.Options
	config eventpipe.DumpConfig
	kind   string
	log    string
	force  bool
}

// Command returns the command dump.
func Command(p *run.Program) *cobra.Command {
	o := options{Options: attach.Options{Tell: p.Complain, Timeout: 10 * time.Minute}}
	cmd := &cobra.Command{
		Use:   "dump {-p PID | -n NAME | --port ADDR}",
		Short: "Make a running .NET process write a core dump",
		Long: "dump makes the process write its memory into a file for dotnet-dump, lldb or Visual Studio, and\n" +
			"waits until it is written. The process is stopped meanwhile. The types are those of dotnet-dump:\n\n" +
			"  --type full     all memory, with the images of modules\n" +
			"  --type heap     the heaps, the threads and their stacks\n" +
			"  --type mini     the threads, their stacks, and the memory that exceptions refer to\n" +
			"  --type triage   mini without personal data\n\n" +
			"A dump of full or heap has all secrets in memory. The process writes FILE itself, with its own\n" +
			"permissions and in its own file system: in a container FILE is a path in the container. On Linux it\n" +
			"starts the program createdump of its runtime, which must be there. To record only the objects,\n" +
			"without their contents, use nettrace collect --profile gcdump.\n\n" +
			"createdump stops the threads with ptrace. If it fails or is killed, it can leave the process\n" +
			"stopped; dump then prints a warning, and kill -CONT PID continues the process. Ctrl-C ends the\n" +
			"waiting, not the writing.\n\n" + attach.OrderCodes,
		Example: "  nettrace dump -p 4711\n" +
			"  nettrace dump -p 4711 --type heap -o /tmp/shop.dmp\n" +
			"  nettrace dump -n shop --type triage --crashreport --log verbose",
		Args: run.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return o.Order(p, func(ctx context.Context, a *attach.Process) error { return o.write(ctx, p, a) })
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *options) addFlags(cmd *cobra.Command) {
	o.Options.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.config.Path, "output", "o", "", "make the process write `FILE`, or a file of that name into a folder (default core_yyyyMMdd_HHmmss in this folder, in /tmp if the process has another file system)")
	f.StringVar(&o.kind, "type", types[0].name, "`TYPE` of the dump: "+strings.Join(typeNames(), ", "))
	f.BoolVar(&o.force, "force", false, "replace FILE if it exists")
	f.BoolVar(&o.config.CrashReport, "crashreport", false, "make the process also write FILE.crashreport.json (.NET 6 or later)")
	f.StringVar(&o.log, "log", "", "make the process log the progress on its standard output: `HOW` is brief or verbose (.NET 6 or later)")
	for flag, values := range map[string][]string{"type": typeNames(), "log": {"brief", "verbose"}} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
}

func typeNames() (names []string) {
	for _, t := range types {
		names = append(names, t.name)
	}
	return names
}

// check sets the configuration from the flags.
func (o *options) check() error {
	i := slices.Index(typeNames(), strings.ToLower(o.kind))
	switch {
	case o.Given() != 1:
		return errors.New("dump needs one of -p, -n and --port")
	case i < 0:
		return fmt.Errorf("--type: %q is none of %s", o.kind, strings.Join(typeNames(), ", "))
	case o.log != "" && o.log != "brief" && o.log != "verbose":
		return fmt.Errorf("--log: %q is neither brief nor verbose", o.log)
	case o.Timeout <= 0:
		return fmt.Errorf("--timeout: %v is not above 0", o.Timeout)
	}
	o.config.Type = types[i].kind
	o.config.Log, o.config.VerboseLog = o.log != "", o.log == "verbose"
	return nil
}

// write makes the process write the dump.
func (o *options) write(ctx context.Context, p *run.Program, a *attach.Process) error {
	if err := o.place(a); err != nil {
		return exit.With(exit.Usage, err)
	}
	p.Complain("%s writes a dump of type %s into %s; it is stopped meanwhile", a.Title, o.kind, o.config.Path)
	a.Client.Timeouts.Dump = o.Timeout
	err := a.Client.WriteDump(ctx, o.config)
	// Without an answer createdump may still be at work. SIGCONT does not end a ptrace stop.
	if why := eventpipe.Halted(a.PID); answered(err) && strings.Contains(why, "SIGCONT") {
		p.Complain("warning: %s: the dump is over, but %s (kill -CONT %d)", a.Title, why, a.PID)
	}
	if err != nil {
		return err
	}
	size := ""
	if info, err := os.Stat(filepath.Join(a.Root, o.config.Path)); a.Root != "" && err == nil {
		size = ", " + display.Bytes(info.Size())
	}
	p.Complain("%s: written%s", o.config.Path, size)
	return nil
}

// isFolder reports whether path is a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// answered reports whether WriteDump returned err after the runtime answered.
func answered(err error) bool {
	return err == nil || errors.As(err, new(*eventpipe.CommandError)) || errors.As(err, new(*eventpipe.ProtocolError))
}

// place sets the path of the dump in the file system of the process, and checks what is
// there.
func (o *options) place(a *attach.Process) error {
	path := &o.config.Path
	name := time.Now().Format("core_20060102_150405")
	switch {
	case *path == "" && a.Root == "/":
		*path = name
	case *path == "":
		*path = "/tmp/" + name
	case strings.HasSuffix(*path, "/") || isFolder(filepath.Join(a.Root, *path)) && a.Root != "":
		*path = filepath.Join(*path, name)
	}
	switch {
	case filepath.IsAbs(*path):
	case a.Root == "/":
		abs, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = abs
	default:
		return fmt.Errorf("--output %s: the process has its own file system: give an absolute path there", *path)
	}
	if a.Root == "" || o.force {
		return nil
	}
	if _, err := os.Stat(filepath.Join(a.Root, *path)); err == nil {
		return output.ExistsError(*path)
	}
	return nil
}
