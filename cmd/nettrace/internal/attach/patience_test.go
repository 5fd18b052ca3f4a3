//go:build unix

package attach

import (
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestPatience: an answer has no fixed limit without --timeout, and is announced as late once.
func TestPatience(t *testing.T) {
	for _, c := range []struct{ timeout, want time.Duration }{{0, eventpipe.NoTimeout}, {time.Minute, time.Minute}} {
		r := eventpipetest.Start(t, eventpipetest.Config{})
		told := 0
		o := Options{Timeout: c.timeout, port: r.Address() + ",connect", Tell: func(string, ...any) { told++ }}
		a, err := o.Attach(t.Context(), nil, nil, nil)
		expect.NoError(t, err)
		expect.Equal(t, "time for an answer", a.Client.Timeouts.Answer, c.want)
		expect.Equal(t, "silence of a stopped session", a.Client.Timeouts.Stop, 10*time.Second)
		a.Client.Late(eventpipe.GetProcessInfo3)
		a.Client.Late(eventpipe.CollectTracing2)
		expect.Equal(t, "lines", told, 1)
	}
}
