package program

import (
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec/raw"
)

func versionCommand(p *run.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program and the format versions that it reads",
		Args:  run.NoArgs,
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

// versionText returns one line: the version and commit of the program, the compiler, and
// the format versions that the program reads.
func versionText() string {
	commit := "unknown"
	if build, ok := debug.ReadBuildInfo(); ok {
		commit = commitOf(build)
	}
	return fmt.Sprintf("nettrace %s, commit %s, %s %s/%s, reads NetTrace %d to %d", run.Version(), commit,
		runtime.Version(), runtime.GOOS, runtime.GOARCH, raw.MinVersion, raw.MaxVersion)
}

// hashLength is the number of digits of a commit in a pseudo-version of Go.
const hashLength = 12

// commitOf returns the first digits of the commit that a program was built from. go build
// records the commit of the repository. go install records the version of the module
// only: the commit is the end of a pseudo-version, and otherwise that of a tag.
func commitOf(build *debug.BuildInfo) string {
	for _, s := range build.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(hashLength, len(s.Value))]
		}
	}
	version := build.Main.Version
	if version == "" || version == "(devel)" {
		return "unknown"
	}
	if found := pseudoVersion().FindStringSubmatch(version); found != nil {
		return found[1]
	}
	return "of tag cmd/nettrace/" + version
}

var pseudoVersion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[-.]\d{14}-([0-9a-f]{12})$`) })
