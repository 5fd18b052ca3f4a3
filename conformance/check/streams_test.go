package check

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/internal/shared"
)

var update = flag.Bool("update", false, "write testdata/streams.txt anew")

const streamsFile = "testdata/streams.txt"

// TestStreams compares the errors and warnings of every small stream with the
// expected ones, which were derived from the text: one line for each stream.
func TestStreams(t *testing.T) {
	got := map[string]string{}
	for _, name := range shared.Streams(t) {
		t.Run(name, func(t *testing.T) {
			r := check(t, shared.Stream(t, name), Options{})
			got[name] = verdictOf(r)
			if len(shared.Stream(t, name)) > 4<<10 {
				return
			}
			slow, err := Stream(iotest.OneByteReader(bytes.NewReader(shared.Stream(t, name))), Options{})
			if err != nil || verdictOf(slow) != verdictOf(r) {
				t.Errorf("byte by byte %s, %v", verdictOf(slow), err)
			}
		})
	}
	if *update {
		shared.Dir(t) // without it streams are missing
		var text strings.Builder
		for _, name := range slices.Sorted(maps.Keys(got)) {
			fmt.Fprintf(&text, "%s: %s\n", name, got[name])
		}
		if err := os.WriteFile(streamsFile, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := verdicts(t)
	for name, verdict := range got {
		if verdict != want[name] {
			t.Errorf("%s: %s, want %s", name, verdict, want[name])
		}
	}
	if len(got) != len(want) && shared.Present(t) {
		t.Errorf("%d streams, %d lines in %s", len(got), len(want), streamsFile)
	}
}

// verdicts reads the file with the verdicts of the streams, by name.
func verdicts(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(streamsFile)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, verdict, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		list[name] = verdict
	}
	return list
}

// verdictOf is the line of the file for a report.
func verdictOf(r *Report) string {
	var parts []string
	for _, severity := range []rule.Severity{rule.Error, rule.Warning} {
		if list := counts(r, severity); list != "" {
			parts = append(parts, severity.String()+"s "+list)
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, "; ")
}

// builders are the habits of the builders of the streams, as their README names
// them: MM and P are errors by the letter that every reader accepts.
var builders = map[rule.ID]bool{rule.EVB010: true, rule.UNC001: true, rule.EVB012: true, rule.OBJ005: true, rule.EOS005: true}

// TestStreamsReadme compares the results with those in the README of the streams,
// by the letter: the first word of the last column.
func TestStreamsReadme(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(shared.Dir(t), "streams", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for line := range strings.Lines(string(text)) {
		columns := strings.Split(strings.TrimSpace(line), "|")
		if len(columns) != 7 || strings.HasPrefix(columns[1], " stream") || strings.HasPrefix(columns[1], "---") {
			continue
		}
		name, verdict := "pv-"+strings.TrimSpace(columns[1]), strings.TrimSpace(columns[5])
		r := check(t, shared.Stream(t, name), Options{})
		errors, payload := 0, 0
		for _, f := range r.Findings {
			switch {
			case builders[f.Rule]:
			case f.Severity == rule.Error:
				errors++
			case f.Rule >= rule.PAY001 && f.Rule <= rule.PAY022:
				payload++
			}
		}
		judged++
		ok := true
		switch word, _, _ := strings.Cut(verdict, " "); strings.TrimRight(word, ":,") {
		case "valid", "near-valid":
			ok = errors == 0
		case "invalid", "not":
			ok = errors > 0
		case "container":
			ok = errors == 0 && payload > 0
		case "unspecified":
			// Ids that are defined twice with other content are errors here, because
			// readers refuse them; Boolean8 is in the present text.
			ok = errors == 0 || strings.Contains(name, "redefined")
		case "netperf":
			malformed := strings.Contains(verdict, "malformed")
			ok = malformed == (errors > 0) || strings.Contains(name, "under-u-short")
		default:
			t.Errorf("%s: unknown result %q", name, verdict)
		}
		if !ok {
			t.Errorf("%s: %q, found %s", name, verdict, verdictOf(r))
		}
	}
	if judged != 77 {
		t.Errorf("%d streams checked", judged)
	}
}
