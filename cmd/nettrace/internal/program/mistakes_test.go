package program_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/program"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestMistakes checks the messages for wrong command lines.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ args, stderr string }{
		{"bogus", `unknown command "bogus"`},
		{"evnts x", "Did you mean this?"},
		{"gc x", "\treport\n"},
		{"conformance runn -- my-reader", "unknown command \"runn\" for \"nettrace conformance\"\n\nDid you mean this?\n\trun\n\nRun 'nettrace conformance --help' for usage.\n"},
		{"conformance lst", "Did you mean this?\n\tlist\n"},
		{"conformance -- run", `unknown command "run" for "nettrace conformance"`},
		{"completion foo", "unknown command \"foo\" for \"nettrace completion\"\n"},
		{"help foo", "unknown command \"foo\" for \"nettrace\"\n"},
		{"help inof", "Did you mean this?\n\tinfo\n"},
		{"help conformance runn", "Did you mean this?\n\trun\n"},
		{"info", "info takes at least one file"},
		{"events", "events takes one file, or one of -p, -n and --port, not 0 files"},
		{"top 4711", "there is no file 4711; for the process with this id: nettrace top -p 4711\n"},
		{"report gc 4711", "there is no file 4711; for the process with this id: nettrace report gc -p 4711\n"},
		{"blocks a b", "blocks takes one file, not 2"},
		{"version x", `version takes no argument, not "x"` + "\n"},
		{"stack x", `stack takes no argument, not "x"; -p takes a process id, -n a name` + "\n"},
		{"repair x", "--output is missing: -o OUT\n"},
		{"slice --form 1s x", "unknown flag: --form; did you mean --from?\n"},
		{"report gc --page gc x", "unknown flag: --page; nettrace report has it\n"},
		{"report gc --pages gc x", "unknown flag: --pages\n"},
		{"report gc -o x.html x", "unknown shorthand flag: 'o' in -o; nettrace report has it\n"},
		{"report flame -o x.html x", "--format html takes one file or one process, not 2; did you mean --page flame?\n"},
		{"top --diff x", "the newer one is missing: --diff OTHER FILE"},
		{"check --rules strct x", `--rules: "strct" is none of default, strict, reader, lint, dotnet-runtime, one-collect` + "\n"},
		{"man", "man takes one folder, not 0"},
		{"events --bogus x", "unknown flag: --bogus\n"},
		{"top --limt 5 x", "unknown flag: --limt; did you mean --limit?\n"},
		{"report gc --JSON x", "unknown flag: --JSON; did you mean --json?\n"},
		{"conformance run --steam -- x", "unknown flag: --steam; did you mean --stream?\n"},
		{"events --limit:3 x", "unknown flag: --limit:3; the value of a flag follows =: --limit=3\n"},
		{"events -? x", "--help prints the help"},
		{"events --limit=-1 x", `invalid argument "-1" for "--limit" flag; want a whole number, 0 or more` + "\n"},
		{"events --limit abc x", `invalid argument "abc" for "--limit" flag; want a whole number, 0 or more` + "\n"},
		{"events --limit 1.5 x", `invalid argument "1.5" for "--limit" flag; want a whole number, 0 or more` + "\n"},
		{"bench --count 1k x", `invalid argument "1k" for "--count" flag; want a whole number` + "\n"},
		{"top --limit x.nettrace", `invalid argument "x.nettrace" for "--limit" flag; the number is missing: --limit N` + "\n"},
		{"top --limit= x.nettrace", `invalid argument "" for "--limit" flag; the number is missing: --limit N` + "\n"},
		{"top --min x.nettrace", `invalid argument "x.nettrace" for "--min" flag; the number is missing: --min PERCENT` + "\n"},
		{"heap --dominators --min 1o x", `invalid argument "1o" for "--min" flag; want a number` + "\n"},
		{"heap --dominators --min %10 x", `invalid argument "%10" for "--min" flag; want a number` + "\n"},
		{"repair x y", "repair takes one file, not 2; the output is -o OUT\n"},
		{"convert x y.pb.gz", "convert takes one file, not 2; the output is -o OUT\n"},
		{"slice --from 1s x y", "slice takes one file, not 2; the output is -o OUT\n"},
		{"slice x -o y --redact paths", "the value of --redact follows =: --redact=paths\n"},
		{"merge x --redact all y -o z", "the value of --redact follows =: --redact=all\n"},
		{"slice x -o z --redact=paths paths", "slice takes one file, not 2\n"},
		{"counters x --duration 2s", "--duration needs a running process (-p, -n, --port or -- COMMAND)\n"},
		{"counters x --refresh-interval 2s", "--refresh-interval needs a running process"},
		{"counters x --max-time-series 2", "--max-time-series needs a running process"},
		{"counters x --max-histograms 2", "--max-histograms needs a running process"},
		{"counters x --any-session", "--any-session needs a running process"},
		{"counters x --listen :1", "--listen needs a running process"},
		{"top x --min 5", "--min needs a tree (--tree, --bottom-up, --callers, --callees)\n"},
		{"top x --tree --sort self", "--sort self excludes a tree (--tree, --bottom-up, --callers, --callees): its calls are sorted by their total\n"},
		{"stacks x --addresses --group module", "--addresses and --group exclude each other\n"},
		{"check --list x", "--list takes no files\n"},
		{"check --explain NT6-LBL-008 x", "--explain takes no files\n"},
		{"check --list --explain NT6-LBL-008", "--list excludes --explain\n"},
		{"conformance run --parallel -1 -- x", "--parallel: -1 is below 0\n"},
		{"conformance run --timeout 0s -- x", "--timeout: 0s is no time to run a case\n"},
		{"conformance write --timeout -1s -- x", "--timeout: -1s is no time to run a case\n"},
		{"repair -o z x y", "repair takes one file, not 2\n"},
		{"repair", "repair takes one file, not 0\n"},
		{"events --format=xml x", "--format"},
		{"events --rows x", "--rows needs --format ndjson"},
		{"events --level=high x", "--level: \"high\" is neither a number nor one of critical, error, warning, informational, verbose\n"},
		{"events --keyword=0xg x", "--keyword"},
		{"events --event=1,5-b x", "--event"},
		{"events --event=5-3 x", `"5-3" is no range`},
		{"events --event=5- x", `"5-" is no range`},
		{"events --thread=-5 x", `"-5" is no range`},
		{"events --process=. x", "--process"},
		{"report lock x", `"lock" is no part of report; did you mean locks?`},
		{"report topN x", `"topN" is no part of report; did you mean nettrace top?`},
		{"collect -p notepad", `"-p, --process-id" flag; -p takes a number; -n, if the command has it, takes a name` + "\n"},
		{"stack -p 0", `"-p, --process-id" flag: a process has a number from 1 on` + "\n"},
		{"heap --diff x", "the newer one is missing: --diff OTHER FILE"},
		{"top -n 5 x", "top takes one file or one process: -n is the name of a process, --limit the number of rows"},
		{"view --page lock x", `--page: "lock" is no page; the pages are summary, flame, top, tree, time, events, heap, `},
		{"events --format=NDJSON --json x y", "events takes one file, or one of -p, -n and --port, not 2 files"},
		{"events --provider=[ x", "--provider"},
		{"events --event=a,[ x", "--event"},
	} {
		t.Run(c.args, func(t *testing.T) {
			r := programtest.Run(t, nil, strings.Fields(c.args)...)
			r.Exits(t, exit.Usage)
			expect.Equal(t, "stdout", r.Out, "")
			expect.Contains(t, "stderr", r.Stderr, c.stderr, "--help' for usage.")
		})
	}
}

// TestSeveralFiles checks that each file is reported, and that the highest code is returned.
func TestSeveralFiles(t *testing.T) {
	good, cut := testfile.Archive(t, "onecollect-small.v6"), testfile.Archive(t, "net10-killed-cut.v4")
	seven := testfile.New(t, "seven.nettrace", testfile.Header(7))
	missing := filepath.Join(t.TempDir(), "missing")
	for _, c := range []struct {
		files []string
		code  int
	}{
		{[]string{good, good}, exit.Done},
		{[]string{cut, good}, exit.Broken},
		{[]string{missing, cut, good}, exit.Usage},
		{[]string{seven, missing, good}, exit.Version},
	} {
		t.Run(testfile.CaseName(c.files...), func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"info", "--json"}, c.files...)...)
			if r.Code != c.code {
				t.Errorf("exit %d, want %d", r.Code, c.code)
			}
			if !strings.Contains(r.Out, "onecollect-small") {
				t.Error("the intact file is missing")
			}
		})
	}
}

// TestMalformed checks the messages about malformed streams, by severity.
func TestMalformed(t *testing.T) {
	small := testfile.Plain(t, "onecollect-small.v6")
	const metadataBlock, threadBlock = 118, 1903
	unknown := bytes.Clone(small)
	unknown[metadataBlock+3] = 99 // the metadata becomes a block of unknown kind
	bad := bytes.Clone(small)
	bad[threadBlock+4] = 0xFF // the first thread row becomes too long
	for _, c := range []struct {
		name   string
		data   []byte
		flag   string
		code   int
		events int
		stderr []string
	}{
		{"defects", unknown, "--strict=false", exit.Done, 25, []string{"warning: 25 defects, the first: NT-REF-001 at offset 2056 (Event block at 2032, row 0)"}},
		{"defects-strict", unknown, "--strict", exit.Broken, 0, []string{"defect: NT-REF-001 at offset 2056 (Event block at 2032, row 0)"}},
		{"bad-block", bad, "--strict=false", exit.Broken, 25, []string{"bad block: NT6-THR-001 at offset", "(Thread block at 1903, row 0)",
			"1 bad block skipped", "warning: 50 defects, the first: NT6-THR-009"}},
		{"trailing", append(bytes.Clone(small), "rest"...), "--strict", exit.Done, 25, []string{"4 bytes after the end mark are not read"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := programtest.Run(t, c.data, "events", "--format=ndjson", c.flag, "-")
			info := programtest.Run(t, c.data, "info", c.flag, "-")
			for i, r := range []programtest.Result{list, info} {
				t.Run([]string{"events", "info"}[i], func(t *testing.T) {
					if r.Code != c.code || (c.stderr == nil) != (r.Stderr == "") {
						t.Errorf("exit %d, want %d, stderr %q", r.Code, c.code, r.Stderr)
					}
					for _, want := range c.stderr {
						if !strings.Contains(r.Stderr, want) {
							t.Errorf("%q is not in stderr: %s", want, r.Stderr)
						}
					}
				})
			}
			if n := strings.Count(list.Out, `{"type":"event",`); n != c.events {
				t.Errorf("%d events, want %d", n, c.events)
			}
		})
	}
}

// TestOthers runs the commands that read no trace.
func TestOthers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "man")
	for _, c := range []struct{ args, want string }{
		{"", "nettrace view"},
		{"help events", "--provider"},
		{"help conformance run", "--stream"},
		{"conformance", "Available Commands:"},
		{"conformance --help", "Available Commands:"},
		{"completion", "Available Commands:"},
		{"help", "Look:"},
		{"__complete conformance r", "run"},
		{"__complete help conformance r", "run"},
		{"events --help", "--follow"},
		{"version", "reads NetTrace 3 to 6\n"},
		{"--version", "reads NetTrace 3 to 6\n"},
		{"-v", "reads NetTrace 3 to 6\n"},
		{"--version --help", "Look:"},
		{"--version=false", "nettrace view"},
		{"completion bash", "__start_nettrace"},
		{"__complete events --format n", "ndjson"},
		{"man " + dir, ""},
	} {
		t.Run(c.args, func(t *testing.T) {
			r := programtest.Run(t, nil, strings.Fields(c.args)...)
			if r.Code != exit.Done || !strings.Contains(r.Out, c.want) {
				t.Errorf("exit %d, stderr %q, stdout %.200q", r.Code, r.Stderr, r.Out)
			}
		})
	}
	if page, err := os.ReadFile(filepath.Join(dir, "nettrace-events.1")); err != nil || !bytes.Contains(page, []byte("keyword")) {
		t.Errorf("the manual page of events: %v", err)
	}
}

// TestWriteFails checks that a closed pipe ends the program silently, and another error
// with a message.
func TestWriteFails(t *testing.T) {
	path := testfile.Archive(t, "net10-mix-cpu.v4")
	for _, verb := range []string{"info", "events", "blocks", "version", "--version"} {
		t.Run(verb, func(t *testing.T) {
			args := []string{verb, path}
			if strings.HasSuffix(verb, "version") {
				args = args[:1]
			}
			var stderr bytes.Buffer
			reader, writer, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			reader.Close()
			if code := program.Run(args, nil, writer, &stderr); code != exit.Done || stderr.Len() > 0 {
				t.Errorf("to a closed pipe: exit %d, stderr %q", code, stderr.String())
			}
			writer.Close()
			if code := program.Run(args, nil, writer, &stderr); code != exit.Broken || stderr.Len() == 0 {
				t.Errorf("to a closed file: exit %d, stderr %q", code, stderr.String())
			}
		})
	}
}
