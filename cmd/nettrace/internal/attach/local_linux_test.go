package attach

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestProven: the process that connects to our port may be one that forwards the port of another
// machine. Its PID is that of the runtime only if the runtime has the same one, and this is proven
// by the cookie that the process reports at its own port.
func TestProven(t *testing.T) {
	one, other := [16]byte{1}, [16]byte{2}
	for _, c := range []struct {
		name   string
		pid    int      // that the runtime reports
		cookie [16]byte // at the port of the local process; zero: it has no port
		known  bool     // the PID
		want   string   // of the error, "" for none
	}{
		{"its own port has the cookie", os.Getpid(), one, true, ""},
		{"another machine has a process of that number", os.Getpid(), other, true, "forwards it"},
		{"no port of its own", os.Getpid(), [16]byte{}, true, "it is not known whether"},
		{"another number", os.Getpid() + 1, one, false, "is not known"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.cookie != ([16]byte{}) {
				eventpipetest.Start(t, eventpipetest.Config{Dir: os.TempDir(), Info: eventpipe.ProcessInfo{Cookie: c.cookie}})
			}
			port := filepath.Join(t.TempDir(), "port")
			o := Options{port: port}
			listening, heard := io.Pipe()
			go func() {
				_, _ = listening.Read(make([]byte, 200)) // the line that says so
				eventpipetest.Start(t, eventpipetest.Config{Connect: port, PID: c.pid, Suspended: true, Info: eventpipe.ProcessInfo{Cookie: one}})
			}()
			a, err := o.Attach(t.Context(), nil, nil, heard)
			expect.NoError(t, err)
			expect.Equal(t, "PID is known", a.PID == os.Getpid(), c.known)
			err = a.Proven(t.Context())
			if c.want == "" {
				expect.NoError(t, err)
			} else if err == nil {
				t.Error("no error")
			} else {
				expect.Contains(t, "error", err.Error(), c.want)
			}
			a.Abandon()
		})
	}
}
