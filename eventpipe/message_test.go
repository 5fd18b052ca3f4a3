//go:build unix

package eventpipe_test

import (
	"context"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
)

// provider P, arguments k=v, keywords 0x1122334455667788, level 5.
const (
	providerP      = "8877665544332211 05000000 02000000 50000000 04000000 6b003d0076000000 "
	providerPOnly7 = providerP + "01 01000000 07000000"
)

// TestMessages compares the sent messages byte by byte.
func TestMessages(t *testing.T) {
	p := eventpipe.Provider{Name: "P", Arguments: "k=v", Keywords: 0x1122334455667788, Level: 5}
	q := p
	q.Name = "Q"
	filtered := p
	filtered.Filter = &eventpipe.EventFilter{IDs: []uint32{7, 7}}
	open := func(cfg eventpipe.SessionConfig) func(context.Context, *eventpipe.Client) error {
		return func(ctx context.Context, c *eventpipe.Client) error {
			if cfg.Providers == nil {
				cfg.Providers = []eventpipe.Provider{p}
			}
			s, err := c.StartSession(ctx, cfg)
			if err == nil {
				s.Close()
			}
			return err
		}
	}
	for _, c := range []struct {
		name    string
		release int
		do      func(context.Context, *eventpipe.Client) error
		want    string // the bytes after the magic: size, set and id, reserved, payload
	}{
		{"CollectTracing", 3, open(eventpipe.SessionConfig{Format: eventpipe.NetPerf}),
			"4000 0202 0000  00010000 00000000 01000000" + providerP},
		{"CollectTracing2", 10, open(eventpipe.SessionConfig{BufferMB: 16}),
			"4100 0203 0000  10000000 01000000 01 01000000" + providerP},
		{"CollectTracing2-no-rundown", 10, open(eventpipe.SessionConfig{NoRundown: true}),
			"4100 0203 0000  00010000 01000000 00 01000000" + providerP},
		{"CollectTracing3", 10, open(eventpipe.SessionConfig{NoStacks: true}),
			"4200 0204 0000  00010000 01000000 01 00 01000000" + providerP},
		{"CollectTracing4", 10, open(eventpipe.SessionConfig{RundownKeyword: 0x1020}),
			"4900 0205 0000  00010000 01000000 2010000000000000 01 01000000" + providerP},
		{"CollectTracing5", 10, open(eventpipe.SessionConfig{Providers: []eventpipe.Provider{filtered, q}}),
			"7b00 0206 0000  00000000 00010000 01000000 3901028000000000 01 02000000" + providerPOnly7 + strings.Replace(providerP, "50000000", "51000000", 1) + "00 00000000"},
		{"CollectTracing6", 11, open(eventpipe.SessionConfig{BlockWhenFull: true}),
			"5600 0207 0000  00000000 00010000 01000000 3901028000000000 01 01000000" + providerP + "00 00000000 01000000"},
		{"ProcessInfo3", 10, func(ctx context.Context, c *eventpipe.Client) error { _, err := c.ProcessInfo(ctx); return err },
			"1400 0408 0000"},
		{"ProcessInfo2", 6, func(ctx context.Context, c *eventpipe.Client) error { _, err := c.ProcessInfo(ctx); return err },
			"1400 0404 0000"},
		{"ProcessInfo", 5, func(ctx context.Context, c *eventpipe.Client) error { _, err := c.ProcessInfo(ctx); return err },
			"1400 0400 0000"},
		{"ProcessEnvironment", 10, func(ctx context.Context, c *eventpipe.Client) error { _, err := c.Environment(ctx); return err },
			"1400 0402 0000"},
		{"SetEnvironmentVariable", 10, func(ctx context.Context, c *eventpipe.Client) error { return c.SetEnvironment(ctx, "A", "") },
			"2200 0403 0000  02000000 41000000 01000000 0000"},
		{"ResumeRuntime", 10, func(ctx context.Context, c *eventpipe.Client) error { return c.Resume(ctx) },
			"1400 0401 0000"},
		{"EnablePerfMap", 10, func(ctx context.Context, c *eventpipe.Client) error {
			return c.EnablePerfMap(ctx, eventpipe.PerfMapNames)
		}, "1800 0405 0000  03000000"},
		{"DisablePerfMap", 10, func(ctx context.Context, c *eventpipe.Client) error { return c.DisablePerfMap(ctx) },
			"1400 0406 0000"},
		{"GenerateCoreDump3", 10, func(ctx context.Context, c *eventpipe.Client) error {
			return c.WriteDump(ctx, eventpipe.DumpConfig{Path: "/d", Type: eventpipe.DumpTriage, CrashReport: true})
		}, "2600 0103 0000  03000000 2f0064000000 03000000 04000000"},
		{"GenerateCoreDump2", 6, func(ctx context.Context, c *eventpipe.Client) error {
			return c.WriteDump(ctx, eventpipe.DumpConfig{Path: "/d", Type: eventpipe.DumpFull, Log: true, VerboseLog: true})
		}, "2600 0102 0000  03000000 2f0064000000 04000000 03000000"},
		{"GenerateCoreDump", 3, func(ctx context.Context, c *eventpipe.Client) error {
			return c.WriteDump(ctx, eventpipe.DumpConfig{Path: "/d", Type: eventpipe.DumpNormal, Log: true})
		}, "2600 0101 0000  03000000 2f0064000000 01000000 01000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := eventpipetest.Start(t, eventpipetest.Config{Release: c.release})
			if c.name == "CollectTracing" { // the runtime of 3.0 has not the second one
				r.SetFault(eventpipe.CollectTracing2, eventpipetest.Refuse(eventpipe.UnknownCommand, ""))
			}
			if err := c.do(t.Context(), r.Client()); err != nil {
				t.Fatal(err)
			}
			requests := r.Requests()
			got := hex.EncodeToString(requests[len(requests)-1].Raw)
			want := hex.EncodeToString([]byte("DOTNET_IPC_V1\x00")) + strings.ReplaceAll(c.want, " ", "")
			if got != want {
				t.Errorf("sent\n%s, want\n%s", got, want)
			}
		})
	}
}

// TestTooLong: a message that does not fit its size is not sent.
func TestTooLong(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{})
	if err := r.Client().SetEnvironment(t.Context(), "A", strings.Repeat("x", 32<<10)); err == nil {
		t.Error("sent")
	}
	if n := len(r.Requests()); n != 0 {
		t.Errorf("%d messages sent", n)
	}
}
