//go:build unix

package eventpipe_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestRecordedRequests calls the method that the request of each recorded case means. A request
// that ends a runtime, or that it does not answer properly, is never sent. Where the client sends
// the very bytes of the recording, its result is what the runtime answered.
func TestRecordedRequests(t *testing.T) {
	sent := 0
	for line := range bytes.Lines(shared.File(t, "replay/cases.ndjson.zst")) {
		var one struct{ Runtime, Case, Request, Answer, Code string }
		expect.NoError(t, json.Unmarshal(line, &one))
		request, err := hex.DecodeString(one.Request)
		expect.NoError(t, err)
		do := methodOf(request)
		if do == nil {
			continue
		}
		release := 0
		fmt.Sscanf(one.Runtime, "%d.", &release)
		r := eventpipetest.Start(t, eventpipetest.Config{Release: release})
		if strings.HasSuffix(one.Case, "-nodir") && one.Code == "80004005" { // the fake runtime writes no file
			r.SetFault(eventpipe.Command(request[16])<<8|eventpipe.Command(request[17]), eventpipetest.Refuse(eventpipe.Fail, ""))
		}
		err = do(t.Context(), r.Client())
		requests := r.Requests()
		r.Kill()
		what := one.Runtime + " " + one.Case
		for i, q := range requests {
			if !bytes.Equal(q.Raw, request) {
				continue
			}
			sent++
			var refused *eventpipe.CommandError
			var unsupported *eventpipe.UnsupportedError
			switch {
			case one.Answer != "ok" && one.Answer != "error":
				t.Errorf("%s: the client sends a request that %s", what, one.Answer)
			case i < len(requests)-1: // the runtime does not know it, and the client asks otherwise
			case one.Answer == "ok" && err != nil:
				t.Errorf("%s: error %v, the runtime accepted it", what, err)
			case one.Code == "80131385" && !errors.As(err, &unsupported):
				t.Errorf("%s: error %v, want an UnsupportedError", what, err)
			case one.Answer == "error" && one.Code != "80131385" && (!errors.As(err, &refused) || fmt.Sprintf("%08x", uint32(refused.HResult)) != one.Code):
				t.Errorf("%s: error %v, the runtime answered %s", what, err, one.Code)
			}
		}
	}
	expect.AtLeast(t, "recorded requests that the client sends", sent, 140)
}

type method = func(context.Context, *eventpipe.Client) error

// methodOf returns the method whose request is that of a recording, or nil if there is none. The
// request need not be one that the method sends.
func methodOf(request []byte) method {
	if len(request) < 20 {
		return nil
	}
	p := &payload{rest: request[20:]}
	switch cmd := eventpipe.Command(request[16])<<8 | eventpipe.Command(request[17]); cmd {
	case eventpipe.GenerateCoreDump, eventpipe.GenerateCoreDump2, eventpipe.GenerateCoreDump3:
		d := eventpipe.DumpConfig{Path: p.text(), Type: eventpipe.DumpType(p.uint(4))}
		flags := p.uint(4)
		d.Log, d.VerboseLog, d.CrashReport = flags&1 != 0, flags&2 != 0, flags&4 != 0
		return func(ctx context.Context, c *eventpipe.Client) error { return c.WriteDump(ctx, d) }
	case eventpipe.CollectTracing2, eventpipe.CollectTracing3, eventpipe.CollectTracing4, eventpipe.CollectTracing5, eventpipe.CollectTracing6:
		cfg := p.session(cmd)
		return func(ctx context.Context, c *eventpipe.Client) error {
			s, err := c.StartSession(ctx, cfg)
			if err != nil {
				return err
			}
			defer s.Close()
			return s.Stop(ctx)
		}
	case eventpipe.GetProcessInfo, eventpipe.GetProcessInfo2, eventpipe.GetProcessInfo3:
		return func(ctx context.Context, c *eventpipe.Client) error { _, err := c.ProcessInfo(ctx); return err }
	case eventpipe.GetProcessEnvironment:
		return func(ctx context.Context, c *eventpipe.Client) error { _, err := c.Environment(ctx); return err }
	case eventpipe.ResumeRuntime:
		return func(ctx context.Context, c *eventpipe.Client) error { return c.Resume(ctx) }
	case eventpipe.SetEnvironmentVariable:
		name, value := p.text(), p.text()
		return func(ctx context.Context, c *eventpipe.Client) error { return c.SetEnvironment(ctx, name, value) }
	case eventpipe.EnablePerfMap:
		kind := eventpipe.PerfMap(p.uint(4))
		return func(ctx context.Context, c *eventpipe.Client) error { return c.EnablePerfMap(ctx, kind) }
	case eventpipe.DisablePerfMap:
		return func(ctx context.Context, c *eventpipe.Client) error { return c.DisablePerfMap(ctx) }
	}
	return nil
}

// payload decodes as far as there is something.
type payload struct{ rest []byte }

func (p *payload) uint(size int) uint64 {
	var b [8]byte
	n := copy(b[:size], p.rest)
	p.rest = p.rest[n:]
	return binary.LittleEndian.Uint64(b[:])
}

func (p *payload) text() string {
	units := make([]uint16, min(p.uint(4), uint64(len(p.rest)/2)))
	for i := range units {
		units[i] = uint16(p.uint(2))
	}
	if len(units) == 0 {
		return ""
	}
	return string(utf16.Decode(units[:len(units)-1]))
}

func (p *payload) session(cmd eventpipe.Command) (cfg eventpipe.SessionConfig) {
	if cmd >= eventpipe.CollectTracing5 {
		p.uint(4)
	}
	cfg.BufferMB, cfg.Format = int(p.uint(4)), eventpipe.Format(1-int(p.uint(4)))
	if cmd >= eventpipe.CollectTracing4 {
		cfg.RundownKeyword = p.uint(8)
		cfg.NoRundown = cfg.RundownKeyword == 0
	} else {
		cfg.NoRundown = p.uint(1) == 0
	}
	if cmd >= eventpipe.CollectTracing3 {
		cfg.NoStacks = p.uint(1) == 0
	}
	for n := p.uint(4); n > 0 && len(p.rest) > 0; n-- {
		one := eventpipe.Provider{Keywords: p.uint(8), Level: int(p.uint(4)), Name: p.text(), Arguments: p.text()}
		if cmd >= eventpipe.CollectTracing5 {
			f := &eventpipe.EventFilter{Deny: p.uint(1) == 0}
			for n := p.uint(4); n > 0 && len(p.rest) >= 4; n-- {
				f.IDs = append(f.IDs, uint32(p.uint(4)))
			}
			if !f.Deny || len(f.IDs) > 0 {
				one.Filter = f
			}
		}
		cfg.Providers = append(cfg.Providers, one)
	}
	cfg.BlockWhenFull = cmd >= eventpipe.CollectTracing6 && p.uint(4) == 1
	return cfg
}
