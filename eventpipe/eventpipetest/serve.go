//go:build unix

package eventpipetest

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"time"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/eventpipe"
)

const headerSize = 20

// Types of answers.
const (
	ok      = 0x00
	refused = 0xFF
)

// outcome is what follows an answer.
type outcome int

const (
	closes outcome = iota // the connection
	stays                 // the connection remains open
	dies                  // the process crashes, without an answer
	hangs                 // no client gets an answer from now on
)

// handlers answer the commands; since is the first release that has them. A command that needs a
// payload crashes .NET 5 to 10 if it has none.
var handlers = map[eventpipe.Command]struct {
	since        int
	needsPayload bool
	handle       func(r *Runtime, conn net.Conn, cmd eventpipe.Command, payload []byte) outcome
}{
	eventpipe.GenerateCoreDump:       {3, true, (*Runtime).dump},
	eventpipe.GenerateCoreDump2:      {6, true, (*Runtime).dump},
	eventpipe.GenerateCoreDump3:      {7, true, (*Runtime).dump},
	eventpipe.StopTracing:            {3, false, (*Runtime).stopTracing},
	eventpipe.CollectTracing:         {3, true, (*Runtime).collectTracing},
	eventpipe.CollectTracing2:        {3, true, (*Runtime).collectTracing},
	eventpipe.CollectTracing3:        {9, true, (*Runtime).collectTracing},
	eventpipe.CollectTracing4:        {9, true, (*Runtime).collectTracing},
	eventpipe.CollectTracing5:        {10, true, (*Runtime).collectTracing},
	eventpipe.CollectTracing6:        {11, true, (*Runtime).collectTracing},
	attachProfiler:                   {3, true, (*Runtime).attachProfiler},
	startupProfiler:                  {6, true, (*Runtime).startupProfiler},
	eventpipe.GetProcessInfo:         {5, false, (*Runtime).processInfo},
	eventpipe.ResumeRuntime:          {5, false, (*Runtime).resumeRuntime},
	eventpipe.GetProcessEnvironment:  {6, false, (*Runtime).processEnvironment},
	eventpipe.SetEnvironmentVariable: {6, true, (*Runtime).setEnvironment},
	eventpipe.GetProcessInfo2:        {6, false, (*Runtime).processInfo},
	eventpipe.EnablePerfMap:          {8, true, (*Runtime).enablePerfMap},
	eventpipe.DisablePerfMap:         {8, false, (*Runtime).result},
	eventpipe.ApplyStartupHook:       {8, true, (*Runtime).applyStartupHook},
	eventpipe.GetProcessInfo3:        {8, false, (*Runtime).processInfo},
}

// serve answers one connection after the other.
func (r *Runtime) serve(accept func() (net.Conn, error)) {
	for {
		conn, err := accept()
		if err != nil {
			return
		}
		if !r.hold(conn) {
			return
		}
		switch r.answer(conn) {
		case closes:
			r.drop(conn)
		case dies:
			r.die()
			return
		case hangs:
			<-r.stopped
		}
	}
}

// answer reads one message and executes it. It has no timeout. If it keeps the
// connection, the end of the runtime closes it.
func (r *Runtime) answer(conn net.Conn) outcome {
	raw, whole := r.read(conn)
	if raw == nil {
		return closes
	}
	cmd, payload := eventpipe.Command(raw[16])<<8|eventpipe.Command(raw[17]), raw[headerSize:]
	switch {
	case !whole:
		return r.refuse(conn, 0, eventpipe.BadEncoding, "")
	case string(raw[:14]) != "DOTNET_IPC_V1\x00":
		return r.refuse(conn, 0, eventpipe.UnknownMagic, "")
	}
	r.mu.Lock()
	r.requests = append(r.requests, Request{Command: cmd, Payload: payload, Raw: raw})
	fault := r.faults[cmd]
	r.mu.Unlock()
	if fault.handle != nil {
		if proceed, then := fault.handle(r, conn, cmd); !proceed {
			return then
		}
	}
	handler, known := handlers[cmd]
	switch {
	case !known || handler.since > r.cfg.Release:
		return r.refuseUnknown(conn, cmd)
	case handler.needsPayload && len(payload) == 0 && !checksLength(r.cfg.Release):
		return dies
	}
	return handler.handle(r, conn, cmd, payload)
}

// read reads the header and then what its size says. raw is nil if there is no header, and whole is
// false if the size is impossible or the client has sent less. .NET Core 3.1 reads each of the two
// parts at once and does not wait for more.
func (r *Runtime) read(conn net.Conn) (raw []byte, whole bool) {
	fill := io.ReadFull
	if r.cfg.Release < 5 {
		fill = func(from io.Reader, b []byte) (int, error) {
			n, err := from.Read(b)
			if err == nil && n < len(b) {
				err = io.ErrUnexpectedEOF
			}
			return n, err
		}
	}
	raw = make([]byte, headerSize)
	if n, err := fill(conn, raw); n == 0 || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, false
	} else if err != nil {
		return raw, false
	}
	size := int(binary.LittleEndian.Uint16(raw[14:]))
	if size <= headerSize {
		return raw, size == headerSize
	}
	raw = append(raw, make([]byte, size-headerSize)...)
	_, err := fill(conn, raw[headerSize:])
	return raw, err == nil
}

// reply sends one message.
func reply(conn net.Conn, id byte, payload []byte) {
	b := append(make([]byte, 0, headerSize+len(payload)), "DOTNET_IPC_V1\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(headerSize+len(payload)))
	b = append(b, 0xFF, id, 0, 0)
	conn.Write(append(b, payload...))
}

// refuse sends an error. Since .NET 9, the server forgets to close the connection of a session that
// it refuses.
func (r *Runtime) refuse(conn net.Conn, cmd eventpipe.Command, hr eventpipe.HResult, message string) outcome {
	payload := binary.LittleEndian.AppendUint32(nil, uint32(hr))
	if message != "" {
		payload = appendText(payload, message)
	}
	reply(conn, refused, payload)
	if hr == eventpipe.BadEncoding && r.cfg.Release >= 9 && cmd >= eventpipe.CollectTracing && cmd <= eventpipe.CollectTracing6 {
		return stays
	}
	return closes
}

// refuseUnknown refuses a command that the release does not have. Among the commands of profilers,
// .NET Core 3.1 has another number for it, and later releases forget to close the connection.
func (r *Runtime) refuseUnknown(conn net.Conn, cmd eventpipe.Command) outcome {
	if cmd>>8 != attachProfiler>>8 {
		return r.refuse(conn, cmd, eventpipe.UnknownCommand, "")
	}
	if r.cfg.Release < 5 {
		return r.refuse(conn, cmd, eventpipe.BadEncoding, "")
	}
	r.refuse(conn, cmd, eventpipe.UnknownCommand, "")
	return stays
}

// result answers that it worked.
func (r *Runtime) result(conn net.Conn, _ eventpipe.Command, _ []byte) outcome {
	reply(conn, ok, make([]byte, 4))
	return closes
}

// resumeRuntime answers before it resumes: otherwise a process that ends right
// after the resume would close the connection first.
func (r *Runtime) resumeRuntime(conn net.Conn, cmd eventpipe.Command, payload []byte) outcome {
	then := r.result(conn, cmd, payload)
	r.resume.Do(func() { close(r.resumed) })
	return then
}

// garbage answers a request that should have no payload: the answer has no header.
func garbage(conn net.Conn, payload []byte) outcome {
	conn.Write(append(payload, make([]byte, 24)...))
	return closes
}

// processInfo answers with the fields of the command's version.
func (r *Runtime) processInfo(conn net.Conn, cmd eventpipe.Command, payload []byte) outcome {
	if len(payload) > 0 {
		return garbage(conn, payload)
	}
	info := &r.cfg.Info
	var b []byte
	if cmd == eventpipe.GetProcessInfo3 {
		b = binary.LittleEndian.AppendUint32(b, 1)
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(info.PID))
	b = append(b, info.Cookie[:]...)
	texts := []string{info.CommandLine, info.OS, info.Architecture}
	if cmd != eventpipe.GetProcessInfo {
		texts = append(texts, info.EntryAssembly, info.Version)
	}
	if cmd == eventpipe.GetProcessInfo3 {
		texts = append(texts, info.PortableRID)
	}
	for _, text := range texts {
		b = appendText(b, text)
	}
	reply(conn, ok, b)
	return closes
}

// processEnvironment answers with the size of the data that follows the message.
func (r *Runtime) processEnvironment(conn net.Conn, _ eventpipe.Command, payload []byte) outcome {
	if len(payload) > 0 {
		return garbage(conn, payload)
	}
	block := binary.LittleEndian.AppendUint32(nil, uint32(len(r.cfg.Environment)))
	for _, kv := range r.cfg.Environment {
		block = appendText(block, kv)
	}
	reply(conn, ok, append(binary.LittleEndian.AppendUint32(nil, uint32(len(block))), 0, 0))
	conn.Write(block)
	return closes
}

func appendText(b []byte, text string) []byte {
	units := append(utf16.Encode([]rune(text)), 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(units)))
	b, _ = binary.Append(b, binary.LittleEndian, units)
	return b
}

// connect opens a reverse connection: it tries repeatedly and sends the advertise
// message.
func (r *Runtime) connect() (net.Conn, error) {
	for wait := 10 * time.Millisecond; ; wait = min(wait*5/4, 500*time.Millisecond) {
		conn, err := net.Dial("unix", r.cfg.Connect)
		if err == nil {
			hello := append([]byte("ADVR_V1\x00"), r.cfg.Info.Cookie[:]...)
			hello = binary.LittleEndian.AppendUint64(hello, uint64(r.cfg.PID))
			conn.Write(append(hello, 0, 0))
			return conn, nil
		}
		select {
		case <-r.stopped:
			return nil, net.ErrClosed
		case <-time.After(wait):
		}
	}
}
