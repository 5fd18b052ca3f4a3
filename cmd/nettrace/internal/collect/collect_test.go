//go:build unix

package collect_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestCollectUsage: an error of the command line is reported before a process is
// looked for.
func TestCollectUsage(t *testing.T) {
	config := testfile.New(t, "c.toml", []byte("profile = 1"))
	for _, c := range []struct{ args, want string }{
		{"", "needs one of"},
		{"-p 1 -n x", "needs one of"},
		{"x -p 1", "after --"},
		{"-p 1 --exit-code maybe", "neither child nor self"},
		{"-p 1 --kill", "need a command"},
		{"-p 1 --keep-raw --ring 1s", "--keep-raw needs a file"},
		{"-p 1 --keep-raw -o -", "--keep-raw needs a file"},
		{"--children --ring 1s -- x", "no --ring"},
		{"-p 1 --duration soon", "--duration"},
		{"-p 1 --max-size much", "--max-size"},
		{"-p 1 --ring long", "--ring"},
		{"-p 1 --stop-on x", "--stop-on"},
		{"-p 1 --stopping-event-event-name x", "provider-name is missing"},
		{"-p 1 --providers A:x", "--providers"},
		{"-p 1 --provider A:x", "--provider"},
		{"-p 1 --profile x", "is not a profile"},
		{"-p 1 --clrevents x", "is not a keyword"},
		{"-p 1 --event-filter A:+1", "is not recorded"},
		{"-p 1 --buffersize 0", "--buffersize"},
		{"-p 1 --buffering-mode Perhaps", "neither Drop nor Block"},
		{"-p 1 --rundown perhaps", "neither true nor false"},
		{"-p 1 --names both --rotate 1h", "each file of --rotate has the rundown"},
		{"-p 1 --force --rotate 1h", "--force has no effect"},
		{"-p 1 --force --ring 1m --write-on gc-pause>1s", "--force has no effect"},
		{"-p 1 --raw --no-thread-times", "--no-thread-times has no effect with --raw"},
		{"-p 1 --names sometimes", "none of early, late and both"},
		{"-p 1 --names late --rundown false", "--names late needs a rundown"},
		{"-p 1 --names both --profile gc-collect", "--names both needs a rundown"},
		{"-p 1 --names early --rundown true", "leave out --rundown true"},
		{"-p 1 --config " + config, "unknown key profile"},
		{"-p 1 --config /no/such/file", "no such file"},
	} {
		t.Run(c.args, func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"collect"}, strings.Fields(c.args)...)...)
			if r.Code != exit.Usage || !strings.Contains(r.Stderr, c.want) {
				t.Errorf("exit %d, stderr %q; want %s", r.Code, r.Stderr, c.want)
			}
		})
	}
}

// TestCollectRefused: exit codes for what the runtime cannot do, and for no way
// in.
func TestCollectRefused(t *testing.T) {
	data := testfile.Plain(t, "net10-empty.v4")
	path := filepath.Join(t.TempDir(), "r.nettrace")
	r := eventpipetest.Start(t, eventpipetest.Config{Release: 8, Trace: eventpipetest.Trace{Data: data}})
	for _, c := range []struct {
		port string
		args string
		code int
	}{
		{r.Address() + ",connect", "--no-stacks", exit.Version},
		{r.Address() + ",connect", "--event-filter A:+1", exit.Version},
		{r.Address() + ",connect", "--rundown 0x10", exit.Version},
		{r.Address() + ",connect", "--duration 200ms --profile gc-collect", exit.Done},
		{"/no/such/port,connect", "", exit.Usage},
	} {
		t.Run(c.args, func(t *testing.T) {
			os.Remove(path)
			args := append([]string{"collect", "--port", c.port, "-o", path}, strings.Fields(c.args)...)
			if !strings.Contains(c.args, "--profile") {
				args = append(args, "--providers", "A")
			}
			got := programtest.Run(t, nil, args...)
			_, err := os.Stat(path)
			if got.Code != c.code || (err == nil) != (c.code == exit.Done) {
				t.Errorf("exit %d, file %v, stderr %q", got.Code, err, got.Stderr)
			}
		})
	}
}

// TestCollectKeepsDevice: a recording that does not begin removes no output that is not a
// file.
func TestCollectKeepsDevice(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Release: 8})
	dir := t.TempDir()
	name, raw := filepath.Join(dir, "x"), filepath.Join(dir, "x.raw")
	for _, link := range []string{name, raw} {
		expect.NoError(t, os.Symlink(os.DevNull, link))
	}
	got := programtest.Run(t, nil, "collect", "--port", r.Address()+",connect", "-o", name, "--keep-raw", "--providers", "A", "--no-stacks")
	got.Exits(t, exit.Version)
	for _, link := range []string{name, raw} {
		_, err := os.Lstat(link)
		expect.NoError(t, err)
	}
}

func TestListProfiles(t *testing.T) {
	r := programtest.Run(t, nil, "list-profiles")
	for _, want := range []string{"dotnet-common - ", "flight - ", "Microsoft-Windows-DotNETRuntime  0x100003801d  level 4"} {
		t.Run(want, func(t *testing.T) {
			if r.Code != exit.Done || !strings.Contains(r.Out, want) {
				t.Errorf("exit %d, no %q in %s", r.Code, want, r.Out)
			}
		})
	}
}

// TestUnknownProcess: a runtime that does not say what it is can be recorded all the same.
func TestUnknownProcess(t *testing.T) {
	data := testfile.Plain(t, "net10-empty.v4")
	r := eventpipetest.Start(t, eventpipetest.Config{
		Trace:  eventpipetest.Trace{Data: data},
		Faults: map[eventpipe.Command]eventpipetest.Fault{eventpipe.GetProcessInfo3: eventpipetest.HangUp()},
	})
	path := filepath.Join(t.TempDir(), "u.nettrace")
	got := programtest.Run(t, nil, "collect", "--port", r.Address()+",connect", "--raw", "--duration", "50ms", "-o", path)
	got.Exits(t, exit.Done)
	expect.Contains(t, "stderr", got.Stderr, "its version is unknown")
	written, err := os.ReadFile(path)
	expect.NoError(t, err)
	expect.Bytes(t, "the stream", written, data)
}
