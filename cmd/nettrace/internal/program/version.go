package program

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec/raw"
)

func versionCommand(p *run.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program and the format versions that it reads",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(p.Stdout, versionText())
			return exit.WriteError(err)
		},
	}
}

// addVersionFlag adds the flag --version to the root command. It replaces cobra's own
// flag, whose text can only be changed by a template: with package text/template the
// linker keeps every exported method, and the program is 3 MB larger. The root command
// does nothing by itself, so its help function is called where --version is given.
func addVersionFlag(p *run.Program, root *cobra.Command) {
	const name = "version"
	root.Flags().BoolP(name, "v", false, "print the version of the program")
	_ = root.Flags().SetAnnotation(name, cobra.FlagSetByCobraAnnotation, []string{"true"}) // no completions after it
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		wantsHelp, _ := cmd.Flags().GetBool("help")
		if version, err := root.Flags().GetBool(name); err == nil && version && cmd == root && !wantsHelp {
			_, err := fmt.Fprintln(p.Stdout, versionText())
			p.Finish(root, exit.WriteError(err))
			return
		}
		help(cmd, args)
	})
}

// versionText returns one line: the version and commit of the program where the build
// has them, the compiler, and the format versions that the program reads.
func versionText() string {
	words := []string{"nettrace", "(devel)"}
	if build, ok := debug.ReadBuildInfo(); ok {
		if build.Main.Version != "" {
			words[1] = build.Main.Version
		}
		for _, s := range build.Settings {
			if s.Key == "vcs.revision" {
				words = append(words, s.Value[:min(12, len(s.Value))])
			}
		}
	}
	words = append(words, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
	return fmt.Sprintf("%s, reads NetTrace %d to %d", strings.Join(words, " "), raw.MinVersion, raw.MaxVersion)
}
