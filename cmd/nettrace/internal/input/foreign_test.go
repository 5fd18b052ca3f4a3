package input

import (
	"io"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestForeign: files that are not traces are named, with what helps.
func TestForeign(t *testing.T) {
	etlHeader := strings.Repeat("\x00", 72) + "\x02\x00\x02\xC0"
	for head, want := range map[string]string{
		"\x14\x00\x00\x00!FastSerialization.1\x04\x04\x01\x0a\x00\x00\x00GCHeapDump": "nettrace heap and nettrace view read it",
		"\x14\x00\x00\x00!FastSerialization.1\x04\x04\x01\x08\x00\x00\x00TraceLog":   ".etlx file",
		etlHeader: ".etl file", "\xFD7zXZ\x00": "xz -d", "BZh91AY": "bunzip2", "\x04\x22\x4D\x18": "lz4 -d",
		strings.Repeat("a", 257) + "ustar": "tar -xf", "PK\x03\x04": "zip archive",
		"\x7FELF\x02\x01\x01" + strings.Repeat("\x00", 9) + "\x03\x00": "program or library (ELF)",
		"\x7FELF\x02\x01\x01" + strings.Repeat("\x00", 9) + "\x04\x00": "core dump",
		"\n<!DOCTYPE html><html>":                                      "web page", "<HTML>": "web page",
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}": "speedscope.app",
		"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[":                        "ui.perfetto.dev",
		"version https://git-lfs.github.com/spec/v1\n":                         "git lfs pull",
		"\xFF\xFEN\x00e\x00": "UTF-16",
		"Nettrace":           "", "\x14\x00\x00\x00!FastSerialization.1\x05\x05": "", "": "", "x": "", "xx\nNettrace": "", "\xEF\xBB\xBFNettrace": "",
	} {
		src, _, err := refuseForeign(strings.NewReader(head), false)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", head, err)
		case want == "":
			all, _ := io.ReadAll(src)
			expect.Equal(t, "bytes", string(all), head)
		case err == nil || !strings.Contains(err.Error(), want):
			t.Errorf("%q: %v, want %q", head, err, want)
		}
	}
}

// TestDamage: a trace that was converted as text, or that has bytes before it, is explained.
func TestDamage(t *testing.T) {
	for head, want := range map[string]string{
		"xx\nNettrace": "repair", "\xEF\xBB\xBFNettrace": "repair", "Nettrace": "", "": "", "x": "",
		"Nettrace\x00\r\n\x01\r\n\x02\r\n": "CR LF", "Nettrace\n\r\n": "",
		"Nettrace\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD": "cannot be undone",
	} {
		if got := damage([]byte(head)); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", head, got, want)
		}
	}
}
