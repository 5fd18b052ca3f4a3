//go:build unix

package collect

import (
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestCollectSession checks the configuration of the session that flags make.
func TestCollectSession(t *testing.T) {
	config := testfile.New(t, "c.json", []byte(`{"buffersize":32,"stacks":false,"rundown":"0x10","providers":[{"name":"B","allow":[7]}]}`))
	for _, c := range []struct {
		args string
		want eventpipe.SessionConfig
	}{
		{"--providers A", eventpipe.SessionConfig{BufferMB: 256}},
		{"--providers A --rundown false --no-stacks --buffersize 8", eventpipe.SessionConfig{BufferMB: 8, NoRundown: true, NoStacks: true}},
		{"--profile gc-collect", eventpipe.SessionConfig{BufferMB: 256, RundownKeyword: 1}},
		{"--providers A --no-lines", eventpipe.SessionConfig{BufferMB: 256, RundownKeyword: eventpipe.DefaultRundown &^ 0x20000}},
		{"--providers A --rundown 0x20018 --no-lines", eventpipe.SessionConfig{BufferMB: 256, RundownKeyword: 0x18}},
		{"--providers A --rundown false --no-lines", eventpipe.SessionConfig{BufferMB: 256, NoRundown: true}},
		{"--profile gc-collect --rundown true", eventpipe.SessionConfig{BufferMB: 256, RundownKeyword: eventpipe.DefaultRundown}},
		{"--providers A --rundown 0x18 --buffering-mode block", eventpipe.SessionConfig{BufferMB: 256, RundownKeyword: 0x18, BlockWhenFull: true}},
		{"--config " + config, eventpipe.SessionConfig{BufferMB: 32, NoStacks: true, RundownKeyword: 0x10}},
		{"--config " + config + " --rundown false", eventpipe.SessionConfig{BufferMB: 32, NoStacks: true, NoRundown: true}},
	} {
		t.Run(c.args, func(t *testing.T) {
			var o options
			cmd := Command((&run.Program{}))
			cmd.ResetFlags()
			o.addFlags(cmd)
			if err := cmd.ParseFlags(append([]string{"-p", "1"}, strings.Fields(c.args)...)); err != nil {
				t.Fatal(err)
			}
			if err := o.check(func(string) bool { return false }); err != nil {
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
