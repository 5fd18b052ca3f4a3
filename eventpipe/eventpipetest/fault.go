//go:build unix

package eventpipetest

import (
	"io"
	"net"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// Fault is a faulty behaviour of a command. The zero value is the correct
// behaviour.
type Fault struct {
	// handle injects the fault. proceed reports whether the command is executed
	// nevertheless; if not, then is what follows.
	handle func(r *Runtime, conn net.Conn, cmd eventpipe.Command) (proceed bool, then outcome)
}

// Slow executes the command after a delay. All other clients wait too.
func Slow(d time.Duration) Fault {
	return Fault{func(r *Runtime, _ net.Conn, _ eventpipe.Command) (bool, outcome) {
		select {
		case <-r.stopped:
			return false, closes
		case <-time.After(d):
			return true, closes
		}
	}}
}

// Silent sends no answer and serves no other client until this one closes the
// connection, like a stopped process.
func Silent() Fault { return say("") }

// HangUp closes the connection without an answer.
func HangUp() Fault {
	return Fault{func(*Runtime, net.Conn, eventpipe.Command) (bool, outcome) { return false, closes }}
}

// Garbage answers with bytes that are no message.
func Garbage() Fault { return say("garbage where the header should be") }

// HalfHeader sends the first bytes of a header and then nothing. It leaves the
// connection open.
func HalfHeader() Fault { return say("DOTNET_") }

// TruncateHeader sends the first bytes of a header and closes the connection.
func TruncateHeader() Fault {
	return Fault{func(_ *Runtime, conn net.Conn, _ eventpipe.Command) (bool, outcome) {
		io.WriteString(conn, "DOTNET_")
		return false, closes
	}}
}

// Empty answers with success, without the values that the answer should have.
func Empty() Fault {
	return Fault{func(_ *Runtime, conn net.Conn, _ eventpipe.Command) (bool, outcome) {
		reply(conn, ok, nil)
		return false, closes
	}}
}

// Refuse answers with an error, and with a message if it is not empty. Like the
// real server of .NET 9 and later, it leaves the connection open when it refuses
// a session with BadEncoding.
func Refuse(hr eventpipe.HResult, message string) Fault {
	return Fault{func(r *Runtime, conn net.Conn, cmd eventpipe.Command) (bool, outcome) {
		return false, r.refuse(conn, cmd, hr, message)
	}}
}

// say sends a text and waits until the client closes the connection.
func say(text string) Fault {
	return Fault{func(_ *Runtime, conn net.Conn, _ eventpipe.Command) (bool, outcome) {
		io.WriteString(conn, text)
		io.Copy(io.Discard, conn)
		return false, closes
	}}
}
