//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/internal/expect"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"500MB": 500e6, "1GiB": 1 << 30, "1.5kb": 1500, "7B": 7, "2m": 2e6, " 3 KiB": 3072} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if n, err := parseSize(text); err != nil || n != want {
				t.Errorf("%d, %v; want %d", n, err, want)
			}
		})
	}
	for _, text := range []string{"", "5", "MB", "-1MB", "0MB", "1e300GB", "NaNMB", "x"} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if n, err := parseSize(text); err == nil {
				t.Errorf("%d, no error", n)
			}
		})
	}
}

func TestParseRing(t *testing.T) {
	for text, want := range map[string]record.RingOptions{
		"10m": {Time: 10 * time.Minute}, "500MB": {Size: 500e6}, "2s,1GB": {Time: 2 * time.Second, Size: 1e9}, "": {},
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if opt, err := parseRing(text); err != nil || opt != want {
				t.Errorf("%+v, %v; want %+v", opt, err, want)
			}
		})
	}
	for _, text := range []string{"x", "1kB", "1s,2s", "1GB,2GB", "-1s", "10m,"} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if opt, err := parseRing(text); err == nil {
				t.Errorf("%+v, no error", opt)
			}
		})
	}
}

// TestCollectUsage: what is wrong with a command line is said before a process is
// looked for.
func TestCollectUsage(t *testing.T) {
	config := file(t, "c.toml", []byte("profile = 1"))
	for _, c := range []struct{ args, want string }{
		{"", "needs one of"},
		{"-p 1 -n x", "needs one of"},
		{"x -p 1", "behind --"},
		{"-p 1 --format Speedscope", "nettrace convert"},
		{"-p 1 --exit-code maybe", "neither child nor self"},
		{"-p 1 --kill", "for a command"},
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
		{"-p 1 --profile x", "is no profile"},
		{"-p 1 --clrevents x", "is no keyword"},
		{"-p 1 --event-filter A:+1", "is not recorded"},
		{"-p 1 --buffersize 0", "--buffersize"},
		{"-p 1 --buffering-mode Perhaps", "neither Drop nor Block"},
		{"-p 1 --rundown perhaps", "neither true nor false"},
		{"-p 1 --config " + config, "profile is not known"},
		{"-p 1 --config /no/such/file", "no such file"},
	} {
		t.Run(c.args, func(t *testing.T) {
			r := nettrace(t, nil, append([]string{"collect"}, strings.Fields(c.args)...)...)
			if r.code != exitUsage || !strings.Contains(r.stderr, c.want) {
				t.Errorf("exit %d, stderr %q; want %s", r.code, r.stderr, c.want)
			}
		})
	}
}

// TestCollectSession: flags become what the session is asked for.
func TestCollectSession(t *testing.T) {
	config := file(t, "c.json", []byte(`{"buffersize":32,"stacks":false,"rundown":"0x10","providers":[{"name":"B","allow":[7]}]}`))
	for _, c := range []struct {
		args string
		want eventpipe.SessionConfig
	}{
		{"--providers A", eventpipe.SessionConfig{BufferMB: 256}},
		{"--providers A --rundown false --no-stacks --buffersize 8", eventpipe.SessionConfig{BufferMB: 8, NoRundown: true, NoStacks: true}},
		{"--profile gc-collect", eventpipe.SessionConfig{BufferMB: 256, RundownKeyword: 1}},
		{"--profile gc-collect --rundown true", eventpipe.SessionConfig{BufferMB: 256, RundownKeyword: eventpipe.DefaultRundown}},
		{"--providers A --rundown 0x18 --buffering-mode block", eventpipe.SessionConfig{BufferMB: 256, RundownKeyword: 0x18, BlockWhenFull: true}},
		{"--config " + config, eventpipe.SessionConfig{BufferMB: 32, NoStacks: true, RundownKeyword: 0x10}},
		{"--config " + config + " --rundown false", eventpipe.SessionConfig{BufferMB: 32, NoStacks: true, NoRundown: true}},
	} {
		t.Run(c.args, func(t *testing.T) {
			var o collectOptions
			cmd := (&program{}).collectCommand()
			cmd.ResetFlags()
			o.addFlags(cmd)
			if err := cmd.ParseFlags(append([]string{"-p", "1"}, strings.Fields(c.args)...)); err != nil {
				t.Fatal(err)
			}
			if err := o.check(); err != nil {
				t.Error(err)
				return
			}
			got := o.session
			got.Providers = nil
			expect.Equal(t, "BufferMB", got.BufferMB, c.want.BufferMB)
			expect.Equal(t, "NoRundown", got.NoRundown, c.want.NoRundown)
			expect.Equal(t, "NoStacks", got.NoStacks, c.want.NoStacks)
			expect.Equal(t, "RundownKeyword", got.RundownKeyword, c.want.RundownKeyword)
			expect.Equal(t, "BlockWhenFull", got.BlockWhenFull, c.want.BlockWhenFull)
			if len(o.session.Providers) == 0 {
				t.Error("no providers")
			}
		})
	}
}

// TestCollectRefused: exit codes for what the runtime cannot do, and for no way
// in.
func TestCollectRefused(t *testing.T) {
	data := plain(t, "net10-empty.v4")
	path := filepath.Join(t.TempDir(), "r.nettrace")
	r := eventpipetest.Start(t, eventpipetest.Config{Release: 8, Trace: eventpipetest.Trace{Data: data}})
	for _, c := range []struct {
		port string
		args string
		code int
	}{
		{r.Address() + ",connect", "--no-stacks", exitVersion},
		{r.Address() + ",connect", "--event-filter A:+1", exitVersion},
		{r.Address() + ",connect", "--rundown 0x10", exitVersion},
		{r.Address() + ",connect", "--duration 200ms --profile gc-collect", exitDone},
		{"/no/such/port,connect", "", exitUsage},
	} {
		t.Run(c.args, func(t *testing.T) {
			os.Remove(path)
			args := append([]string{"collect", "--port", c.port, "-o", path}, strings.Fields(c.args)...)
			if !strings.Contains(c.args, "--profile") {
				args = append(args, "--providers", "A")
			}
			got := nettrace(t, nil, args...)
			_, err := os.Stat(path)
			if got.code != c.code || (err == nil) != (c.code == exitDone) {
				t.Errorf("exit %d, file %v, stderr %q", got.code, err, got.stderr)
			}
		})
	}
}

// TestStatusLine is the line on a terminal.
func TestStatusLine(t *testing.T) {
	begun := time.Now()
	s := status{started: begun, at: begun}
	line := s.line(record.Stats{Bytes: 1_234_567, Events: 5000, Lost: 3}, nil, begun.Add(2*time.Second))
	if want := "2s  1.2 MB  5,000 events  2,500/s  3 lost  (Ctrl-C stops)"; line != want {
		t.Errorf("%q; want %q", line, want)
	}
	line = s.line(record.Stats{Bytes: 2_000_000, Events: 7000}, &record.Stats{Bytes: 1_500_000, Events: 5500}, begun.Add(4*time.Second))
	if !strings.Contains(line, "stopping: 500.0 kB, 1,500 events of the rest and the rundown") {
		t.Errorf("%q", line)
	}
}

func TestListProfiles(t *testing.T) {
	r := nettrace(t, nil, "list-profiles")
	for _, want := range []string{"dotnet-common - ", "flight - ", "Microsoft-Windows-DotNETRuntime  0x100003801d  level 4"} {
		t.Run(want, func(t *testing.T) {
			if r.code != exitDone || !strings.Contains(r.out, want) {
				t.Errorf("exit %d, no %q in %s", r.code, want, r.out)
			}
		})
	}
}
