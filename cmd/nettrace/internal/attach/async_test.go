package attach_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestWithAsync: a session of .NET 11 gets the async profiler once, an older runtime has none.
func TestWithAsync(t *testing.T) {
	own := eventpipe.Provider{Name: provider.AsyncProfiler, Keywords: 1, Level: 4}
	for _, c := range []struct {
		version   string
		providers []eventpipe.Provider
		want      []eventpipe.Provider
	}{
		{"11.0.0", []eventpipe.Provider{{Name: "A"}}, []eventpipe.Provider{{Name: "A"}, provider.Async}},
		{"11.0.0", []eventpipe.Provider{own}, []eventpipe.Provider{own}},
		{"10.0.12", []eventpipe.Provider{{Name: "A"}}, []eventpipe.Provider{{Name: "A"}}},
		{"", nil, nil},
	} {
		a := &attach.Process{Info: &eventpipe.ProcessInfo{Version: c.version}}
		expect.Slices(t, "providers on "+c.version, a.WithAsync(eventpipe.SessionConfig{Providers: c.providers}).Providers, c.want)
	}
}

// TestFlushAsync: no session is opened for a recording without the async profiler, and none on a
// runtime that does not have it.
func TestFlushAsync(t *testing.T) {
	nobody := eventpipe.NewClient("/nonexistent/socket")
	for _, c := range []struct {
		version   string
		providers []eventpipe.Provider
		fails     bool
	}{
		{"11.0.0", []eventpipe.Provider{provider.Async}, true}, {"11.0.0", nil, false}, {"10.0.12", []eventpipe.Provider{provider.Async}, false},
	} {
		a := &attach.Process{Client: nobody, Info: &eventpipe.ProcessInfo{Version: c.version}}
		err := a.FlushAsync(t.Context(), eventpipe.SessionConfig{Providers: c.providers})
		expect.Equal(t, "a session on "+c.version, err != nil, c.fails)
	}
}
