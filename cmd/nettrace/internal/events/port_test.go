//go:build unix

package events_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestSilentProvider: a provider that the user named and that sent no event is reported. Without
// an event of any named provider there is nothing that was asked for.
func TestSilentProvider(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-gc.v4")
	for _, c := range []struct {
		providers []string
		code      int
		stderr    string
	}{
		{[]string{"--provider", "NoSuch"}, exit.Broken, "no event of NoSuch: none happened, "},
		{[]string{"--provider", "NoSuch", "--provider", "Microsoft-Windows-DotNETRuntime"}, exit.Done, "no event of NoSuch"},
		{[]string{"--provider", "Microsoft-Windows-DotNETRuntime"}, exit.Done, ""},
	} {
		r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}})
		got := programtest.Run(t, nil, append([]string{"events", "--port", r.Address() + ",connect", "--duration", "50ms"}, c.providers...)...)
		got.Exits(t, c.code)
		expect.Contains(t, "stderr", got.Stderr, c.stderr)
	}
}
