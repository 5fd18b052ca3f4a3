// Package conformance is the command conformance, which runs the conformance suite against
// another reader or writer.
package conformance

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/conformance/cases"
)

// Command returns the command conformance.
func Command(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "conformance",
		Short: "Test another reader or writer of the format",
		Long: "conformance tests other programs with the cases of the conformance suite: small traces with the\n" +
			"expected result. run tests a reader, write tests a writer. list prints the cases, copy writes them\n" +
			"to a folder, and script prints a shell script that runs them without this program.\n" +
			"\n" +
			"A case has the name GRADE/BLOCK/SITUATION.vVERSION. A pattern for cases is such a name, with * and\n" +
			"?, which match / too, the start of a name (invalid/event), or a SITUATION.",
	}
	cmd.AddCommand(conformanceRunCommand(p), conformanceWriteCommand(p), conformanceListCommand(p),
		conformanceCopyCommand(p), conformanceScriptCommand(p))
	return cmd
}

// chosen returns the cases that match patterns.
func chosen(patterns []string) ([]cases.Case, error) {
	for _, pattern := range patterns {
		if len(cases.Match(pattern)) == 0 {
			return nil, fmt.Errorf("no case matches %q", pattern)
		}
	}
	return cases.Match(patterns...), nil
}

func conformanceCopyCommand(p *run.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "copy DIR",
		Short: "Copy the cases to a folder",
		Long: "copy creates a folder and writes the cases to it: for each case the trace (NAME.nettrace), the\n" +
			"expected lines (NAME.ndjson) and what the case tests (NAME.json). If one of these files exists, copy\n" +
			"does not replace it and returns an error: delete the folder, or choose another one.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("copy takes one folder, not %d", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := copyCases(args[0]); err != nil {
				return exit.With(exit.Usage, err)
			}
			return nil
		},
	}
}

// copyCases writes the files of the cases to a folder.
func copyCases(dir string) error {
	files := cases.Files()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s exists: delete the folder %s, or choose another one", path, dir)
		}
		if err != nil {
			return err
		}
		_, err = f.Write(files[name])
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

func conformanceScriptCommand(p *run.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "script",
		Short: "Print a shell script that runs a reader over copied cases",
		Long: "script prints a script for a POSIX shell. In a folder that copy wrote, the script runs its arguments\n" +
			"as a command for each trace. For a valid case it expects exit code 0, for an invalid case of kind\n" +
			"\"stops\" or \"tells\" exit code 1 or a defect line. It does not compare the lines.",
		Example: "  nettrace conformance copy cases && nettrace conformance script > cases/run.sh\n  cd cases && sh run.sh my-reader",
		Args:    run.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if _, err := fmt.Fprint(p.Stdout, conformanceScript); err != nil {
				return exit.WriteError(err)
			}
			return nil
		},
	}
}

// conformanceScript runs a reader over copied cases and checks its exit codes.
const conformanceScript = `#!/bin/sh
# Runs COMMAND ARGS, a reader, with each trace below the current folder. A valid
# trace is read (exit code 0). Of another one the reader reports the fault: exit
# code 1, or a defect line. Exit code 3 is for a version that it does not support.
passed=0 failed=0 unsupported=0
list=$(find valid invalid -name '*.nettrace' | sort)
for trace in $list; do
  name=${trace%.nettrace}
  case $name in
    valid/*) want=read ;;
    *) grep -q '"kind": "silent"' "$name.json" && continue
       want=reported ;;
  esac
  lines=$("$@" < "$trace" 2> /dev/null)
  code=$?
  case $code/$lines in
    3/*) grep -q '"unsupported": true' "$name.json" && got=$want || got=unsupported ;;
    1/* | 0/*'"type":"defect"'* | 0/*'"type": "defect"'*) got=reported ;;
    0/*) got=read ;;
    *) got="exit $code" ;;
  esac
  case $got in
    "$want") passed=$((passed + 1)) ;;
    unsupported) unsupported=$((unsupported + 1)) ;;
    *) echo "FAIL $name: $got, want $want"
       failed=$((failed + 1)) ;;
  esac
done
echo "$passed passed, $failed failed, $unsupported not supported"
[ $failed -eq 0 ]
`
