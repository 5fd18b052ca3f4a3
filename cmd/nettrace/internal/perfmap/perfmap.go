// Package perfmap is the command perfmap, which makes a running process write maps of its
// methods for perf.
package perfmap

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// kind is a value of --type and the files that the runtime writes for it.
type kind struct {
	name  string
	kind  eventpipe.PerfMap
	files []string // with a place for the PID
}

// The files of the maps.
const (
	namesFile = "perf-%d.map"
	codeFile  = "jit-%d.dump"
)

var kinds = []kind{
	{"all", eventpipe.PerfMapAll, []string{namesFile, codeFile}},
	{"map", eventpipe.PerfMapNames, []string{namesFile}},
	{"jitdump", eventpipe.PerfMapJitDump, []string{codeFile}},
}

// options are the flags of perfmap.
type options struct {
	attach.Options
	kind    string
	disable bool
}

// Command returns the command perfmap.
func Command(p *run.Program) *cobra.Command {
	o := options{Options: attach.Options{Tell: p.Complain}}
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	cmd := &cobra.Command{
		Use:   "perfmap {-p PID | -n NAME | --port ADDR}",
		Short: "Make a running .NET process write the names of its methods for perf",
		Long: "perfmap makes the runtime write files from which perf and eBPF tools take the names of methods:\n" +
			"perf-PID.map with their names and addresses, and jit-PID.dump with their machine code too. The files\n" +
			"have the methods that are compiled already and those that follow, until the process ends or perfmap\n" +
			"--disable. The process writes them in the folder /tmp of its own file system, or in that of its\n" +
			"variable DOTNET_PerfMapJitDumpPath; perf reads perf-PID.map in /tmp only. They can be large, and\n" +
			"nobody removes them. It requires .NET 8 or later.\n\n" + attach.OrderCodes,
		Example: "  nettrace perfmap -p 4711 --type map && perf record -g -p 4711 -- sleep 10\n" +
			"  nettrace perfmap -p 4711 --disable",
		Args: run.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == o.kind })
			switch {
			case o.Given() != 1:
				return errors.New("perfmap needs one of -p, -n and --port")
			case i < 0:
				return fmt.Errorf("--type: %q is none of %s", o.kind, strings.Join(names, ", "))
			case o.disable && cmd.Flags().Changed("type"):
				return errors.New("--disable ends all maps: it excludes --type")
			case o.disable:
				return o.Order(p, func(ctx context.Context, a *attach.Process) error { return disable(ctx, p, a) })
			}
			return o.Order(p, func(ctx context.Context, a *attach.Process) error { return kinds[i].enable(ctx, p, a) })
		},
	}
	o.Options.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.kind, "type", names[0], "`TYPE` of the maps: "+strings.Join(names, ", "))
	f.BoolVar(&o.disable, "disable", false, "make the runtime stop writing maps")
	_ = cmd.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// enable makes the runtime write maps, and prints the files.
func (k *kind) enable(ctx context.Context, p *run.Program, a *attach.Process) error {
	if err := a.Client.EnablePerfMap(ctx, k.kind); err != nil {
		return err
	}
	var list []string
	for _, file := range k.files {
		list = append(list, path.Join(folder(ctx, a), fmt.Sprintf(file, a.Info.PID)))
	}
	p.Complain("%s writes %s", a.Title, display.Printable(strings.Join(list, " and ")))
	return nil
}

// disable makes the runtime stop.
func disable(ctx context.Context, p *run.Program, a *attach.Process) error {
	err := a.Client.DisablePerfMap(ctx)
	if err == nil {
		p.Complain("%s writes no maps for perf", a.Title)
	}
	return err
}

// folder returns the folder of the maps in the file system of the process.
func folder(ctx context.Context, a *attach.Process) string {
	variables, _ := a.Client.Environment(ctx) // every runtime with maps reports it
	for _, kv := range variables {
		if value, ok := strings.CutPrefix(kv, "DOTNET_PerfMapJitDumpPath="); ok && value != "" {
			return value
		}
	}
	return "/tmp"
}
