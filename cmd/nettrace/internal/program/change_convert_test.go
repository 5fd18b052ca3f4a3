package program_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestConvert writes small files in every version and shows them.
func TestConvert(t *testing.T) {
	for _, c := range []struct {
		name, to string
		stderr   string
		format   string
	}{
		{"net10-counters.v4", "v6", "", `"format":"6.0"`},
		{"net10-counters.v4", "v5", "", `"format":"4"`},
		{"net10-netperf.v3", "v6", "", `"format":"6.0"`},
		{"net10-netperf.v3", "v5", "", `"format":"4"`},
		{"onecollect-small.v6", "v4", "keys and values of label lists left out: 3", `"format":"4"`},
	} {
		t.Run(c.name+" to "+c.to, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.nettrace")
			r := programtest.Run(t, testfile.Plain(t, c.name), "convert", "-", "-o", out, "--format", c.to)
			r.Exits(t, exit.Done)
			r.Complains(t, c.stderr)
			expect.Stop(t)
			was := programtest.Run(t, testfile.Plain(t, c.name), "info", "--json", "-")
			is := programtest.Run(t, nil, "info", "--json", out)
			is.Exits(t, exit.Done)
			expect.Contains(t, "stdout", is.Out, c.format)
			expect.Equal(t, "events", eventsOf(is.Out), eventsOf(was.Out))
		})
	}
}

// eventsOf is the count in the output of info --json.
func eventsOf(info string) string {
	_, rest, _ := strings.Cut(info, `"events":`)
	n, _, _ := strings.Cut(rest, ",")
	return n
}

// TestConvertUsage refuses what does not go together.
func TestConvertUsage(t *testing.T) {
	for _, flags := range [][]string{
		{"--format", "v3"}, {"--preserve", "--compact"}, {"--preserve", "--format", "v6"}, {"--preserve", "--uncompressed"},
	} {
		t.Run(testfile.CaseName(flags...), func(t *testing.T) {
			if r := programtest.Run(t, nil, append([]string{"convert", "-", "-o", "-"}, flags...)...); r.Code != exit.Usage || r.Out != "" {
				t.Errorf("exit %d, stderr %q", r.Code, r.Stderr)
			}
		})
	}
	r := programtest.Run(t, testfile.Plain(t, "net10-netperf.v3"), "convert", "-", "-o", "-", "--preserve")
	r.Exits(t, exit.Version)
	expect.Contains(t, "stderr", r.Stderr, `supported formats are 4, 5 and 6.0; "nettrace convert" without --preserve writes one of them`)
	expect.Equal(t, "stdout", r.Out, "")
}

// TestConvertTags checks that v4 keeps opcodes and array fields, that --no-tags
// leaves them out and says so, and that it goes with v4 only.
func TestConvertTags(t *testing.T) {
	name := testfile.Archive(t, "net10-types.v4")
	tagged := programtest.Run(t, nil, "convert", name, "-o", "-", "--format", "v4")
	if d := programtest.Run(t, []byte(tagged.Out), "diff", name, "-"); d.Code != exit.Done {
		t.Errorf("diff: exit code %d, %s%s", d.Code, d.Out, d.Stderr)
	}
	if strings.Contains(tagged.Stderr, "left out") {
		t.Errorf("got stderr %q, want nothing left out", tagged.Stderr)
	}
	r := programtest.Run(t, nil, "convert", name, "-o", "-", "--format", "v4", "--no-tags")
	if r.Code != exit.Done || !strings.Contains(r.Stderr, "opcodes of metadata left out: 25") {
		t.Errorf("--no-tags: exit code %d, %q", r.Code, r.Stderr)
	}
	for _, to := range []string{"v6", "v5", "folded"} {
		t.Run(to, func(t *testing.T) {
			if r := programtest.Run(t, nil, "convert", name, "-o", "-", "--format", to, "--no-tags"); r.Code != exit.Usage || r.Out != "" {
				t.Errorf("--to %s --no-tags: exit code %d, %q", to, r.Code, r.Stderr)
			}
		})
	}
}
