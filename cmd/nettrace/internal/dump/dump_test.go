//go:build unix

package dump_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestDump: the flags choose the type and the flags of the command.
func TestDump(t *testing.T) {
	for _, c := range []struct {
		name        string
		args        []string
		kind, flags uint32
	}{
		{"default", nil, 4, 0},
		{"heap", []string{"--type", "heap"}, 2, 0},
		{"Mini", []string{"--type", "Mini"}, 1, 0},
		{"triage", []string{"--type", "triage", "--crashreport"}, 3, 4},
		{"brief", []string{"--log", "brief"}, 4, 1},
		{"verbose", []string{"--log", "verbose"}, 4, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := eventpipetest.Start(t, eventpipetest.Config{})
			got := programtest.Run(t, nil, append([]string{"dump", "--port", r.Address() + ",connect", "-o", "/tmp/x.dmp"}, c.args...)...)
			got.Exits(t, exit.Done)
			expect.Contains(t, "stderr", got.Stderr, "/tmp/x.dmp: written")
			payload := requestOf(t, r, eventpipe.GenerateCoreDump3)
			expect.Equal(t, "type", binary.LittleEndian.Uint32(payload[len(payload)-8:]), c.kind)
			expect.Equal(t, "flags", binary.LittleEndian.Uint32(payload[len(payload)-4:]), c.flags)
		})
	}
}

// requestOf returns the payload of a command that the runtime received.
func requestOf(t *testing.T, r *eventpipetest.Runtime, cmd eventpipe.Command) []byte {
	t.Helper()
	list := r.Requests()
	i := slices.IndexFunc(list, func(q eventpipetest.Request) bool { return q.Command == cmd })
	if i < 0 {
		t.Fatalf("the runtime received no %v", cmd)
	}
	return list[i].Payload
}

// TestDefaultName: the name has the time; without a view of its files it is in the folder
// /tmp of the process.
func TestDefaultName(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{})
	got := programtest.Run(t, nil, "dump", "--port", r.Address()+",connect")
	got.Exits(t, exit.Done)
	expect.Contains(t, "stderr", got.Stderr, "into /tmp/core_2")
}

// TestFolder: a file with the default name is written into a folder.
func TestFolder(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{})
	got := programtest.Run(t, nil, "dump", "--port", r.Address()+",connect", "-o", "/var/dumps/")
	got.Exits(t, exit.Done)
	expect.Contains(t, "stderr", got.Stderr, "into /var/dumps/core_2")
}

// TestFailures: what is wrong is reported with the exit code.
func TestFailures(t *testing.T) {
	refuse := map[eventpipe.Command]eventpipetest.Fault{eventpipe.GenerateCoreDump3: eventpipetest.Refuse(eventpipe.Fail, "no createdump\n\n")}
	for _, c := range []struct {
		name string
		cfg  eventpipetest.Config
		args []string
		code int
		want string
	}{
		{"refused", eventpipetest.Config{Faults: refuse}, nil, exit.Broken, ": no createdump\n"},
		{"old runtime", eventpipetest.Config{Release: 5}, []string{"--crashreport"}, exit.Version, "requires .NET 6 or later"},
		{"relative path", eventpipetest.Config{}, []string{"-o", "x.dmp"}, exit.Usage, "give an absolute path"},
		{"type", eventpipetest.Config{}, []string{"--type", "small"}, exit.Usage, "none of full, heap, mini, triage"},
		{"log", eventpipetest.Config{}, []string{"--log", "much"}, exit.Usage, "neither brief nor verbose"},
		{"timeout", eventpipetest.Config{}, []string{"--timeout", "0s"}, exit.Usage, "not above 0"},
		{"two processes", eventpipetest.Config{}, []string{"-p", "1"}, exit.Usage, "needs one of"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := eventpipetest.Start(t, c.cfg)
			got := programtest.Run(t, nil, append([]string{"dump", "--port", r.Address() + ",connect"}, c.args...)...)
			got.Exits(t, c.code)
			expect.Contains(t, "stderr", got.Stderr, c.want)
			expect.Equal(t, "double ends of lines", strings.Count(got.Stderr, "\n\n"), 0)
		})
	}
}
