package eventpipe

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"os"
	"time"
)

// Timeouts bound the steps of a command. A zero or negative duration selects
// the default, and [NoTimeout] no bound. A context that ends sooner ends the
// command sooner.
//
// Whatever the bounds are, a command ends within about a second when the system
// reports that the process has ended, or that a signal or a debugger has stopped
// it (Linux, where the PID is known).
type Timeouts struct {
	// Connect is the time until the port accepts the connection; default 1 s. The
	// client of a [Runtime] waits as long for the next connection that the runtime
	// opens; the default is then Answer.
	Connect time.Duration
	// Answer is the time until the complete answer has been read; default 5 s. The
	// process of a busy machine can need longer: its server is one thread among
	// those that compete for the processors.
	Answer time.Duration
	// Stop is the longest silence of a session that was stopped: the time without a
	// byte of its stream, up to its end; default 60 s. It does not bound a stream
	// that goes on.
	Stop time.Duration
	Dump time.Duration // until a dump has been written; default 10 min
}

// NoTimeout is the value of [Timeouts] that bounds nothing: a command waits for as
// long as the process runs and its port is open.
const NoTimeout time.Duration = math.MaxInt64

func (t Timeouts) answer() time.Duration { return orDefault(t.Answer, 5*time.Second) }
func (t Timeouts) stop() time.Duration   { return orDefault(t.Stop, time.Minute) }
func (t Timeouts) dump() time.Duration   { return orDefault(t.Dump, 10*time.Minute) }

func orDefault(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}

// Client sends commands to one runtime. Each command has a connection of its
// own, so a Client has no Close method, and several goroutines may call its
// methods at the same time.
type Client struct {
	Timeouts Timeouts // each command reads it; set it before the first
	// Late, if it is not nil, is called when the answer to a command has not come
	// within 2 s, once for each command and in another goroutine. It is not called
	// for StopTracing and dumps, which take long. Set it before the first command.
	Late func(Command)

	open    func(ctx context.Context) (net.Conn, error)
	reverse bool   // the runtime opens the connections
	pid     int    // as we see it, 0 when unknown
	path    string // of the port
	root    string // where the file system of the process begins for us; "" when unknown
}

// NewClient returns a client of the port with the given address: the path of a
// Unix socket, or the name of a Windows pipe. It does not connect.
func NewClient(address string) *Client {
	return &Client{open: func(ctx context.Context) (net.Conn, error) { return dial(ctx, address) }, path: address}
}

// connect opens a connection.
func (c *Client) connect(ctx context.Context) (net.Conn, error) {
	if c.open == nil {
		panic("eventpipe: a zero Client has no address: use NewClient")
	}
	wait := orDefault(c.Timeouts.Connect, time.Second)
	if c.reverse { // the runtime connects again after each command, at its own pace
		wait = orDefault(c.Timeouts.Connect, c.Timeouts.answer())
		if c.pid == 0 { // nothing would tell that it has ended
			wait = min(wait, time.Minute)
		}
	}
	dialing, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	conn, err := c.open(dialing)
	if err != nil {
		return nil, c.explain(ctx, err)
	}
	return conn, nil
}

// bound gives a connection a deadline, which the end of the context brings
// forward, until release is called.
func (c *Client) bound(ctx context.Context, conn net.Conn, wait time.Duration) (release func()) {
	conn.SetDeadline(time.Now().Add(wait))
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		conn.SetDeadline(time.Unix(1, 0))
		close(interrupted)
	})
	return func() {
		if !stop() {
			<-interrupted
		}
		conn.SetDeadline(time.Time{})
	}
}

// send sends one message and reads the header of the answer. On success the
// caller owns the connection, which has no deadline and is positioned after the
// header.
func (c *Client) send(ctx context.Context, cmd Command, payload []byte, wait time.Duration) (net.Conn, []byte, error) {
	if headerSize+len(payload) > maxMessage {
		return nil, nil, &ProtocolError{Command: cmd, What: "the message is over 65,535 bytes"}
	}
	ctx, watched := c.watch(ctx, cmd)
	defer watched()
	conn, err := c.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	release := c.bound(ctx, conn, wait)
	reply, err := converse(conn, cmd, payload)
	release()
	if err != nil {
		conn.Close()
		return nil, nil, c.explain(ctx, err)
	}
	return conn, reply, nil
}

// converse writes the message with one write call and reads the header of the
// answer.
func converse(conn net.Conn, cmd Command, payload []byte) ([]byte, error) {
	message := append(appendHeader(make([]byte, 0, headerSize+len(payload)), cmd, len(payload)), payload...)
	_, err := conn.Write(message)
	var kind Command
	var reply []byte
	if err == nil {
		kind, reply, err = readMessage(conn)
	}
	var p *ProtocolError
	switch {
	case errors.As(err, &p):
		p.Command = cmd
		return nil, p
	case err == io.EOF || isReset(err):
		return nil, &ProtocolError{Command: cmd, What: "the runtime closed the connection without an answer", NoAnswer: true}
	case err != nil:
		return nil, err
	case kind == replyError:
		return nil, refusal(cmd, reply)
	case kind != replyOK:
		return nil, &ProtocolError{Command: cmd, What: "the answer is neither OK nor an error but " + kind.String()}
	}
	return reply, nil
}

// refusal reads an error's number, and its text where there is one.
func refusal(cmd Command, payload []byte) error {
	f := fields{rest: payload}
	e := &CommandError{Command: cmd, HResult: HResult(f.uint32())}
	if f.err != nil {
		return &ProtocolError{Command: cmd, What: "an error without a number"}
	}
	if len(f.rest) > 0 {
		e.Message = f.string()
	}
	return e
}

// ask sends one message, reads the complete answer, and closes the connection.
func (c *Client) ask(ctx context.Context, cmd Command, payload []byte, wait time.Duration) ([]byte, error) {
	conn, reply, err := c.send(ctx, cmd, payload, wait)
	if err != nil {
		return nil, err
	}
	conn.Close()
	return reply, nil
}

// explain maps an error of the operating system to the reason why the port is
// unreachable.
func (c *Client) explain(ctx context.Context, err error) error {
	late := errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	if cause := context.Cause(ctx); late && cause != nil {
		if !errors.Is(cause, context.DeadlineExceeded) {
			return cause
		}
		err = cause
	}
	reason := Reason(0)
	switch {
	case late:
		reason = NotAnswering
	case errors.Is(err, os.ErrPermission):
		reason = PermissionDenied
	case errors.Is(err, os.ErrNotExist), isRefused(err):
		reason = NoSocket
	default:
		return err
	}
	e := &UnreachableError{PID: c.pid, Reason: reason, Path: c.path, Err: err}
	if reason == NotAnswering && c.pid != 0 {
		e.Detail = Halted(c.pid)
	}
	return e
}

// isUnknown reports whether the runtime is too old for the command.
func isUnknown(err error) bool {
	var e *CommandError
	return errors.As(err, &e) && e.HResult == UnknownCommand
}
