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

// addVersionFlag adds --version to the root command, which runs with it alone. It is not
// cobra's own flag, whose text can only be changed by a template: with package
// text/template the linker keeps every exported method, and the program is 3 MB larger.
func addVersionFlag(root *cobra.Command) *bool {
	const name = "version"
	version := root.Flags().BoolP(name, "v", false, "print the version of the program")
	_ = root.Flags().SetAnnotation(name, cobra.FlagSetByCobraAnnotation, []string{"true"}) // no completions after it
	return version
}

// versionText returns one line: the version and commit of the program where the build
// has them, the compiler, and the format versions that the program reads.
func versionText() string {
	words := []string{"nettrace", run.Version()}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			if s.Key == "vcs.revision" {
				words = append(words, s.Value[:min(12, len(s.Value))])
			}
		}
	}
	words = append(words, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
	return fmt.Sprintf("%s, reads NetTrace %d to %d", strings.Join(words, " "), raw.MinVersion, raw.MaxVersion)
}
