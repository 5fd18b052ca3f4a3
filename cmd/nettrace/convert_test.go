package main

import (
	"path/filepath"
	"strings"
	"testing"

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
			r := nettrace(t, plain(t, c.name), "convert", "-", "-o", out, "--to", c.to)
			r.exits(t, exitDone)
			r.complains(t, c.stderr)
			expect.Stop(t)
			was := nettrace(t, plain(t, c.name), "info", "--json", "-")
			is := nettrace(t, nil, "info", "--json", out)
			is.exits(t, exitDone)
			expect.Contains(t, "stdout", is.out, c.format)
			expect.Equal(t, "events", eventsOf(is.out), eventsOf(was.out))
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
		{"--to", "v3"}, {"--preserve", "--compact"}, {"--preserve", "--to", "v6"}, {"--preserve", "--uncompressed"},
	} {
		t.Run(caseName(flags...), func(t *testing.T) {
			if r := nettrace(t, nil, append([]string{"convert", "-", "-o", "-"}, flags...)...); r.code != exitUsage || r.out != "" {
				t.Errorf("exit %d, stderr %q", r.code, r.stderr)
			}
		})
	}
	r := nettrace(t, plain(t, "net10-netperf.v3"), "convert", "-", "-o", "-", "--preserve")
	r.exits(t, exitVersion)
	expect.Contains(t, "stderr", r.stderr, "not written")
	expect.Equal(t, "stdout", r.out, "")
}

// TestConvertTags checks that v4 keeps opcodes and array fields, that --no-tags
// leaves them out and says so, and that it goes with v4 only.
func TestConvertTags(t *testing.T) {
	name := archive(t, "net10-types.v4")
	tagged := nettrace(t, nil, "convert", name, "-o", "-", "--to", "v4")
	if d := nettrace(t, []byte(tagged.out), "diff", name, "-"); d.code != exitDone {
		t.Errorf("diff: exit code %d, %s%s", d.code, d.out, d.stderr)
	}
	if strings.Contains(tagged.stderr, "left out") {
		t.Errorf("got stderr %q, want nothing left out", tagged.stderr)
	}
	r := nettrace(t, nil, "convert", name, "-o", "-", "--to", "v4", "--no-tags")
	if r.code != exitDone || !strings.Contains(r.stderr, "opcodes of metadata left out: 25") {
		t.Errorf("--no-tags: exit code %d, %q", r.code, r.stderr)
	}
	for _, to := range []string{"v6", "v5", "folded"} {
		t.Run(to, func(t *testing.T) {
			if r := nettrace(t, nil, "convert", name, "-o", "-", "--to", to, "--no-tags"); r.code != exitUsage || r.out != "" {
				t.Errorf("--to %s --no-tags: exit code %d, %q", to, r.code, r.stderr)
			}
		})
	}
}
