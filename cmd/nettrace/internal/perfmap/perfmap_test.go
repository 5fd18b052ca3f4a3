//go:build unix

package perfmap_test

import (
	"encoding/binary"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestPerfmap: each type is requested by its number, and the files that follow are printed.
func TestPerfmap(t *testing.T) {
	for _, c := range []struct {
		name string
		env  []string
		args []string
		kind uint32
		want string
	}{
		{"default", nil, nil, 1, " writes /tmp/perf-7.map and /tmp/jit-7.dump\n"},
		{"map", nil, []string{"--type", "map"}, 3, " writes /tmp/perf-7.map\n"},
		{"jitdump elsewhere", []string{"DOTNET_PerfMapJitDumpPath=/maps"}, []string{"--type", "jitdump"}, 2, " writes /maps/jit-7.dump\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := eventpipetest.Start(t, eventpipetest.Config{PID: 7, Environment: c.env})
			got := programtest.Run(t, nil, append([]string{"perfmap", "--port", r.Address() + ",connect"}, c.args...)...)
			got.Exits(t, exit.Done)
			expect.Contains(t, "stderr", got.Stderr, c.want)
			request := r.Requests()[1]
			expect.Equal(t, "command", request.Command, eventpipe.EnablePerfMap)
			expect.Equal(t, "type", binary.LittleEndian.Uint32(request.Payload), c.kind)
		})
	}
}

// TestDisable ends the maps.
func TestDisable(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{})
	programtest.Run(t, nil, "perfmap", "--port", r.Address()+",connect", "--disable").Exits(t, exit.Done)
	expect.Equal(t, "command", r.Requests()[1].Command, eventpipe.DisablePerfMap)
}

// TestFailures: what is wrong is reported with the exit code.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name    string
		release int
		args    []string
		code    int
		want    string
	}{
		{"old runtime", 7, nil, exit.Version, "requires .NET 8 or later"},
		{"type", 0, []string{"--type", "names"}, exit.Usage, "none of all, map, jitdump"},
		{"both", 0, []string{"--type", "map", "--disable"}, exit.Usage, "excludes --type"},
		{"two processes", 0, []string{"-p", "1"}, exit.Usage, "needs one of"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := eventpipetest.Start(t, eventpipetest.Config{Release: c.release})
			got := programtest.Run(t, nil, append([]string{"perfmap", "--port", r.Address() + ",connect"}, c.args...)...)
			got.Exits(t, c.code)
			expect.Contains(t, "stderr", got.Stderr, c.want)
		})
	}
}
