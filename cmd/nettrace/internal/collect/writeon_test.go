package collect_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestWriteOnUsage: collect refuses rules before it connects.
func TestWriteOnUsage(t *testing.T) {
	ring := []string{"--ring", "60s"}
	for _, c := range []struct {
		name  string
		flags []string
		want  string
	}{
		{"syntax", append(ring, "--write-on", "gc-pause > 200"), `--write-on: rule "gc-pause > 200", column 12: a time with its unit is missing`},
		{"unknown counter", append(ring, "--write-on", "System.Runtime/cpu-uasge > 80"), "System.Runtime has no counter cpu-uasge; the nearest: cpu-usage"},
		{"unknown event", append(ring, "--write-on", "ExceptionTrown"), "has no event ExceptionTrown; the nearest: ExceptionThrown"},
		{"unknown field", append(ring, "--write-on", "ExceptionThrown:Type=x"), "ExceptionThrown has no field Type; the nearest: ExceptionType"},
		{"provider that is not recorded", append(ring, "--write-on", "My-Source/E"), "--write-on: provider My-Source is not recorded: add it with its keywords and level"},
		{"event that is filtered", append(ring, "--providers", "Microsoft-Windows-DotNETRuntime:0x8000:2", "--event-filter", "Microsoft-Windows-DotNETRuntime:-80", "--write-on", "ExceptionThrown"), "is not recorded"},
		{"no ring", []string{"--write-on", "gc-pause > 200ms"}, "--write-on needs --ring"},
		{"standard output", append(ring, "-o", "-", "--write-on", "gc-pause > 200ms"), "--write-on writes files: no -o -"},
		{"cooldown without rule", append(ring, "--cooldown", "1m"), "--cooldown has no effect without --write-on"},
		{"bounds without rule", []string{"--max-files", "3"}, "--max-files has no effect without --write-on"},
		{"size without unit", append(ring, "--max-disk", "5", "--write-on", "gc-pause > 200ms"), `--max-disk: "5" is not a size`},
		{"negative cooldown", append(ring, "--cooldown", "-1s", "--write-on", "gc-pause > 200ms"), "--cooldown: -1s is negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"collect", "-p", "999999999"}, c.flags...)...)
			expect.Equal(t, "exit code", r.Code, exit.Usage)
			expect.Contains(t, "stderr", r.Stderr, c.want)
		})
	}
}

// TestRotateUsage: collect refuses flags that do not go with --rotate.
func TestRotateUsage(t *testing.T) {
	for _, c := range []struct {
		name  string
		flags []string
		want  string
	}{
		{"keep alone", []string{"--keep", "3"}, "--keep has no effect without --rotate"},
		{"ring", []string{"--rotate", "1h", "--ring", "60s"}, "--rotate is for plain recordings"},
		{"standard output", []string{"--rotate", "1h", "-o", "-"}, "--rotate is for plain recordings"},
		{"heap dump", []string{"--rotate", "1h", "--profile", "gcdump"}, "--profile gcdump records a running process, once"},
		{"one file", []string{"--rotate", "1h", "--keep", "1"}, "--keep: 1 is less than 2"},
		{"no unit", []string{"--rotate", "100"}, `--rotate: "100" is neither a time`},
		{"short time", []string{"--rotate", "10ms"}, "--rotate: 10ms is less than 1s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"collect", "-p", "999999999"}, c.flags...)...)
			expect.Equal(t, "exit code", r.Code, exit.Usage)
			expect.Contains(t, "stderr", r.Stderr, c.want)
		})
	}
}
