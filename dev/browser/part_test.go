package browser

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/view"
	"github.com/nettrace-go/nettrace/view/server"
)

// parts is a document of which a page has a part.
type parts struct {
	server.Fixed
	source view.Source
}

// Data returns the part of the query, or the busiest one.
func (p *parts) Data(_ context.Context, query url.Values) ([]byte, error) {
	part := p.source
	if query.Has("from") {
		for i, key := range []string{"from", "to"} {
			n, err := strconv.ParseInt(query.Get(key), 10, 64)
			if err != nil {
				return nil, err
			}
			part.Range[i] = n
		}
	}
	return part.Encode()
}

// TestPart: a page of a trace with too many samples has the busiest part, says so, and
// loads the range that is chosen.
func TestPart(t *testing.T) {
	data := shared.Trace(t, "net10-mix-cpu.v4")
	options := view.ProfileOptions(profile.Limits{})
	read, err := profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(data), codec.Options{}), options)
	expect.NoError(t, err)
	events, err := analysis.Read(t.Context(), codec.NewReader(bytes.NewReader(data), codec.Options{Order: codec.ByTime}), analysis.Options{})
	expect.NoError(t, err)
	const most = 200
	d := &parts{source: view.Source{File: "a.nettrace", Profile: read, Trace: events, Most: most}}
	address := servedBy(t, d)
	p := open(t, address)
	expect.Contains(t, "band", p.text(t, ".served"), "too many for a page", "200 samples", "the busiest part", "Choose another range to load it")
	trace := traceFile(t, "net10-mix-cpu.v4")
	var part struct{ FromNs, ToNs, Size int64 }
	p.evaluate(t, "{...nettrace.head().part, Size: nettrace.head().endNs - nettrace.head().startNs}", &part)
	flags := func(from, to int64) []string {
		return []string{"--type", "wall", "--from", fmt.Sprintf("%dns", from), "--to", fmt.Sprintf("%dns", to)}
	}
	p.compare(t, trace, flags(part.FromNs, part.ToNs)...)
	from, to := part.FromNs-part.Size/50, part.FromNs
	var none string
	p.evaluate(t, fmt.Sprintf("(location.hash = '#/top?type=wall&from=%dns&to=%dns', '')", from, to), &none)
	p.waitFor(t, "the other part", fmt.Sprintf("nettrace.head().part.fromNs >= %d && nettrace.head().part.toNs <= %d", from, to))
	p.evaluate(t, "nettrace.head().part", &part)
	p.compare(t, trace, flags(part.FromNs, part.ToNs)...)
}

// servedBy serves a document and returns the address of its page.
func servedBy(t *testing.T, d server.Document) string {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	s, err := server.New(listener.Listener.Addr().String(), server.Single(d))
	if err != nil {
		t.Fatal(err)
	}
	listener.Config.Handler = s
	listener.Start()
	t.Cleanup(func() {
		listener.CloseClientConnections()
		listener.Close()
	})
	return s.Address("top", "type=wall")
}
