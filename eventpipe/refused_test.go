//go:build unix

package eventpipe_test

import (
	"context"
	"math"
	"testing"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestRefusedBeforeSent: a request that kills a runtime, or that it answers with success and
// executes otherwise, is an error and is not sent.
func TestRefusedBeforeSent(t *testing.T) {
	session := func(change func(cfg *eventpipe.SessionConfig)) func(context.Context, *eventpipe.Client) error {
		return func(ctx context.Context, c *eventpipe.Client) error {
			cfg := eventpipe.SessionConfig{Providers: []eventpipe.Provider{{Name: "A", Level: 4}, {Name: "B"}}}
			change(&cfg)
			_, err := c.StartSession(ctx, cfg)
			return err
		}
	}
	dump := func(d eventpipe.DumpConfig) func(context.Context, *eventpipe.Client) error {
		return func(ctx context.Context, c *eventpipe.Client) error { return c.WriteDump(ctx, d) }
	}
	set := func(name, value string) func(context.Context, *eventpipe.Client) error {
		return func(ctx context.Context, c *eventpipe.Client) error { return c.SetEnvironment(ctx, name, value) }
	}
	for name, do := range map[string]func(context.Context, *eventpipe.Client) error{
		"no provider":           session(func(cfg *eventpipe.SessionConfig) { cfg.Providers = nil }),
		"provider twice":        session(func(cfg *eventpipe.SessionConfig) { cfg.Providers[1].Name = "A" }),
		"name with NUL":         session(func(cfg *eventpipe.SessionConfig) { cfg.Providers[1].Name = "B\x00C" }),
		"arguments with NUL":    session(func(cfg *eventpipe.SessionConfig) { cfg.Providers[1].Arguments = "a=\x00" }),
		"level 6":               session(func(cfg *eventpipe.SessionConfig) { cfg.Providers[1].Level = 6 }),
		"filter of nothing":     session(func(cfg *eventpipe.SessionConfig) { cfg.Providers[1].Filter = &eventpipe.EventFilter{} }),
		"format 2":              session(func(cfg *eventpipe.SessionConfig) { cfg.Format = 2 }),
		"negative buffer":       session(func(cfg *eventpipe.SessionConfig) { cfg.BufferMB = -1 }),
		"buffer that wraps":     session(func(cfg *eventpipe.SessionConfig) { cfg.BufferMB = math.MaxUint32; cfg.BufferMB++ }),
		"dump without path":     dump(eventpipe.DumpConfig{Type: eventpipe.DumpNormal}),
		"dump path with NUL":    dump(eventpipe.DumpConfig{Path: "/a\x00", Type: eventpipe.DumpNormal}),
		"dump of type 0":        dump(eventpipe.DumpConfig{Path: "/a"}),
		"dump of type 5":        dump(eventpipe.DumpConfig{Path: "/a", Type: 5}),
		"variable without name": set("", "x"),
		"variable with =":       set("A=B", "x"),
		"value with NUL":        set("A", "x\x00y"),
		"perf map 0":            func(ctx context.Context, c *eventpipe.Client) error { return c.EnablePerfMap(ctx, 0) },
		"perf map ffffffff":     func(ctx context.Context, c *eventpipe.Client) error { return c.EnablePerfMap(ctx, math.MaxUint32) },
	} {
		r := eventpipetest.Start(t, eventpipetest.Config{})
		if err := do(t.Context(), r.Client()); err == nil {
			t.Errorf("%s: no error", name)
		}
		expect.Len(t, name+": requests", r.Requests(), 0)
	}
}
