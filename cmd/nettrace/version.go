package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/codec/raw"
)

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the program's version and the format versions it reads",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(p.stdout, versionText())
			return writeFailure(err)
		},
	}
}

// versionText is one line: the program's version and commit as far as the
// build knows them, the compiler, and the formats that are read.
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
