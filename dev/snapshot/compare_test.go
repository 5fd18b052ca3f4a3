package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestRecordText(t *testing.T) {
	for _, r := range []record{
		{command: "info FILE", input: "a.nettrace", stdout: "0a", stderr: "0b"},
		{command: "merge FILE OTHER -o out", input: "b", exit: 1, stdout: "1", stderr: "2", files: []string{"out.001=3", "out.002=4"}},
	} {
		t.Run(r.command, func(t *testing.T) {
			got, err := parseRecord(r.String())
			if err != nil || got.String() != r.String() {
				t.Errorf("got %v, %v, want %v", got, err, r)
			}
		})
	}
	for _, line := range []string{"", "a\tb\texit=0", "a\tb\texit=x\tstdout=\tstderr=\tfiles=", "a\tb\texit=0\tstderr=\tstdout=\tfiles="} {
		t.Run("malformed "+line, func(t *testing.T) {
			if r, err := parseRecord(line); err == nil {
				t.Errorf("got %v, want an error", r)
			}
		})
	}
}

func TestCompare(t *testing.T) {
	const base = "info FILE\ta\texit=0\tstdout=1\tstderr=2\tfiles=x=3,y=4\n"
	for _, c := range []struct {
		name, changed string
		stderr        bool
		want          string
	}{
		{"equal", base, true, ""},
		{"exit", strings.Replace(base, "exit=0", "exit=1", 1), true, "info FILE\ta\texit 0, 1\n"},
		{"stdout", strings.Replace(base, "stdout=1", "stdout=5", 1), true, "info FILE\ta\tstdout\n"},
		{"stderr", strings.Replace(base, "stderr=2", "stderr=5", 1), true, "info FILE\ta\tstderr\n"},
		{"stderr left out", strings.Replace(base, "stderr=2", "stderr=5", 1), false, ""},
		{"file changed", strings.Replace(base, "y=4", "y=5", 1), true, "info FILE\ta\tfile y\n"},
		{"file missing", strings.Replace(base, ",y=4", "", 1), true, "info FILE\ta\tfile y\n"},
		{"file added", strings.Replace(base, "x=3", "w=2,x=3", 1), true, "info FILE\ta\tfile w\n"},
		{"two parts", strings.NewReplacer("stdout=1", "stdout=5", "x=3", "x=5").Replace(base), true, "info FILE\ta\tstdout; file x\n"},
		{"record missing", "", true, "info FILE\ta\tonly in A\n"},
		{"record added", base + strings.Replace(base, "\ta\t", "\tb\t", 1), true, "info FILE\tb\tonly in B\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := readRecords(strings.NewReader(base))
			if err != nil {
				t.Fatal(err)
			}
			b, err := readRecords(strings.NewReader(c.changed))
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			n := compare(&out, a, b, c.stderr)
			if out.String() != c.want || n != strings.Count(c.want, "\n") {
				t.Errorf("%d differences:\n%swant:\n%s", n, &out, c.want)
			}
		})
	}
}

func TestRenamesFile(t *testing.T) {
	if _, err := readRenames(renamesTable); err != nil {
		t.Error(err)
	}
	if _, err := readRenames("events\t--old\n"); err == nil {
		t.Error("a line of two columns is no error")
	}
}

func TestCommandNames(t *testing.T) {
	for _, c := range []struct{ name, help string }{
		{"one list", "Repair files.\n\nUsage:\n  x [command]\n\nAvailable Commands:\n  check  Check\n  repair Repair\n\nFlags:\n  -h, --help\n"},
		{"groups", "Repair files.\n\nExit codes:\n  0  success\n\nUsage:\n  x [command]\n\nLook:\n  check  Check\n\nChange:\n  repair Repair\n\nFlags:\n  -h, --help\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, want := commandNames(c.help), []string{"check", "repair"}; !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestSpelling(t *testing.T) {
	const table = "# comment\n-\trepair\tmend\ncheck\t--json\t--format json\nmend\t--force\t--replace\nslice\t--redact\t--mask\n"
	renames, err := readRenames(table)
	if err != nil {
		t.Fatal(err)
	}
	oldHelp := map[string]string{
		"":      "repair files\n\nAvailable Commands:\n  check  Check\n  repair  Repair\n\nFlags:\n",
		"check": "      --json   print JSON", "mend": "unknown", "slice": "      --redact MODE[=all]",
	}
	newHelp := map[string]string{
		"":      "check and repair files\n\nAvailable Commands:\n  check  Check\n  mend  Repair\n\nFlags:\n",
		"check": "      --format X   text or json", "mend": "      --replace", "slice": "      --mask MODE[=all]",
	}
	for _, c := range []struct {
		name string
		help map[string]string
		line string
		want string
	}{
		{"flag in the old program", oldHelp, "check --json FILE", "check --json FILE"},
		{"flag in the new program", newHelp, "check --json FILE", "check --format json FILE"},
		{"flag of another command", newHelp, "info --json FILE", "info --json FILE"},
		{"flag with a value", newHelp, "slice --redact=paths FILE", "slice --mask=paths FILE"},
		{"command in the old program", oldHelp, "repair FILE -o OUT", "repair FILE -o OUT"},
		{"command in the new program", newHelp, "repair FILE --force", "mend FILE --replace"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := newSpelling(renames, func(command string) (string, error) { return c.help[command], nil })
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(s.words(c.line), " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
