//go:build unix

package eventpipetest

import (
	"io"
	"net"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// Fault is a way for a command to go wrong. The zero value is none.
type Fault struct {
	// act does it, and says whether the command is then done after all and,
	// if not, whether the connection stays open.
	act func(r *Runtime, conn net.Conn) (proceed, keep bool)
}

// Slow does what the command says, but late. All other clients wait too.
func Slow(d time.Duration) Fault {
	return Fault{func(r *Runtime, _ net.Conn) (bool, bool) {
		select {
		case <-r.dead:
			return false, false
		case <-time.After(d):
			return true, false
		}
	}}
}

// Silent never answers, nor anybody else until the client hangs up: a process
// that is stopped.
func Silent() Fault { return say("") }

// HangUp closes the connection without an answer.
func HangUp() Fault {
	return Fault{func(*Runtime, net.Conn) (bool, bool) { return false, false }}
}

// Garbage answers with something that is no message.
func Garbage() Fault { return say("garbage where the header should be") }

// HalfHeader sends the beginning of a header and then nothing.
func HalfHeader() Fault { return say("DOTNET_") }

// CutHeader sends the beginning of a header and hangs up.
func CutHeader() Fault {
	return Fault{func(_ *Runtime, conn net.Conn) (bool, bool) {
		io.WriteString(conn, "DOTNET_")
		return false, false
	}}
}

// Empty answers that it worked, without the values that belong there.
func Empty() Fault {
	return Fault{func(_ *Runtime, conn net.Conn) (bool, bool) {
		reply(conn, ok, nil)
		return false, false
	}}
}

// Refuse answers with an error, and a message where that is not empty. As the
// real server does, it leaves the connection open after BadEncoding.
func Refuse(hr eventpipe.HResult, message string) Fault {
	return Fault{func(r *Runtime, conn net.Conn) (bool, bool) { return false, r.refuse(conn, hr, message) }}
}

// say sends a text and waits for the client to hang up.
func say(text string) Fault {
	return Fault{func(_ *Runtime, conn net.Conn) (bool, bool) {
		io.WriteString(conn, text)
		io.Copy(io.Discard, conn)
		return false, false
	}}
}
