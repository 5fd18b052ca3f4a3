package eventpipe

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestAdvertiseDeadline: the listener closes a connection whose complete advertise
// message does not arrive within five seconds.
func TestAdvertiseDeadline(t *testing.T) {
	hello := advertise + "0123456789abcdef"
	for name, sent := range map[string]int{"silent": 0, "slow": len(hello)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				l := &Listener{closed: make(chan struct{}), opening: map[net.Conn]bool{ours: true}}
				var client sync.WaitGroup
				client.Go(func() {
					for i := range sent {
						if _, err := theirs.Write([]byte{hello[i]}); err != nil {
							return
						}
						time.Sleep(time.Second)
					}
				})
				begun := time.Now()
				l.readAdvertise(ours)
				if d := time.Since(begun); d != 5*time.Second {
					t.Errorf("after %v", d)
				}
				if _, err := theirs.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
					t.Errorf("the connection is open: %v", err)
				}
				if len(l.opening) > 0 || len(l.runtimes) > 0 {
					t.Error("the listener still has the connection")
				}
				client.Wait()
			})
		})
	}
}
