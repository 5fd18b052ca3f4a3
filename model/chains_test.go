package model_test

import (
	"bytes"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/logical"
)

// throwAsker asks for the async profiler's records, and keeps where exceptions were thrown.
type throwAsker struct {
	recorder
	trace  *model.Trace
	chains *model.Chains
	throws []model.Owned
}

func (p *throwAsker) Begin(t *model.Trace) { p.trace, p.chains = t, t.Chains() }

func (p *throwAsker) Handler(m *codec.Metadata) model.Handler {
	if clr.KindOf(m) != clr.KindExceptionThrown {
		return nil
	}
	return func(ev *codec.Event) {
		p.throws = append(p.throws, model.Owned{Thread: p.trace.Thread(ev), Ticks: ev.Timestamp, Stack: p.trace.Stack(ev)})
	}
}

// TestChains: the stack of each throw goes on with the methods that await the thrower, and then with those
// that created their chain.
func TestChains(t *testing.T) {
	p := &throwAsker{}
	readWith(t, bytes.Clone(shared.File(t, "async11/async11-runtime-exceptions.v4.nettrace.zst")), model.Limits{}, p)
	expect.Len(t, "processes", p.chains.Processes(), 1)
	expect.Len(t, "throws", p.throws, 10)
	for _, throw := range p.throws {
		l := p.chains.Logical(throw.Thread, throw.Stack, throw.Ticks)
		expect.Equal(t, "result", l.Result, logical.Found)
		thrower := l.Frames[l.Waiting-1].Symbol.Method
		expect.Equal(t, "thrower", thrower == "X3" || thrower == "Y3", true)
		expect.Equal(t, "methods that await it", l.Created-l.Waiting, 3)
		expect.Equal(t, "the last of them", l.Frames[l.Created-1].Symbol.Method, thrower[:1]+"0")
		expect.Equal(t, "what created them", l.Frames[l.Created].Symbol.Method, "MainAsync")
	}
	expect.Equal(t, "records of another process", p.chains.Log(1) == nil, true)
}
