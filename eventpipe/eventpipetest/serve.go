//go:build unix

package eventpipetest

import (
	"encoding/binary"
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

// handlers answer the commands; since is the first release that has them.
var handlers = map[eventpipe.Command]struct {
	since  int
	handle func(r *Runtime, conn net.Conn, cmd eventpipe.Command, payload []byte) (keep bool)
}{
	eventpipe.GenerateCoreDump:       {3, (*Runtime).result},
	eventpipe.GenerateCoreDump2:      {6, (*Runtime).result},
	eventpipe.GenerateCoreDump3:      {7, (*Runtime).result},
	eventpipe.StopTracing:            {3, (*Runtime).stopTracing},
	eventpipe.CollectTracing:         {3, (*Runtime).collectTracing},
	eventpipe.CollectTracing2:        {3, (*Runtime).collectTracing},
	eventpipe.CollectTracing3:        {9, (*Runtime).collectTracing},
	eventpipe.CollectTracing4:        {9, (*Runtime).collectTracing},
	eventpipe.CollectTracing5:        {10, (*Runtime).collectTracing},
	eventpipe.CollectTracing6:        {11, (*Runtime).collectTracing},
	eventpipe.GetProcessInfo:         {5, (*Runtime).processInfo},
	eventpipe.ResumeRuntime:          {5, (*Runtime).resumeRuntime},
	eventpipe.GetProcessEnvironment:  {6, (*Runtime).processEnvironment},
	eventpipe.SetEnvironmentVariable: {6, (*Runtime).result},
	eventpipe.GetProcessInfo2:        {6, (*Runtime).processInfo},
	eventpipe.EnablePerfMap:          {8, (*Runtime).result},
	eventpipe.DisablePerfMap:         {8, (*Runtime).result},
	eventpipe.ApplyStartupHook:       {8, (*Runtime).result},
	eventpipe.GetProcessInfo3:        {8, (*Runtime).processInfo},
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
		if !r.answer(conn) {
			r.drop(conn)
		}
	}
}

// answer reads one message and executes it. It has no timeout. If it keeps the
// connection, the end of the runtime closes it.
func (r *Runtime) answer(conn net.Conn) (keep bool) {
	raw := make([]byte, headerSize)
	if _, err := io.ReadFull(conn, raw); err != nil {
		return false
	}
	size := int(binary.LittleEndian.Uint16(raw[14:]))
	if string(raw[:14]) != "DOTNET_IPC_V1\x00" {
		return r.refuse(conn, eventpipe.UnknownMagic, "")
	}
	if size < headerSize {
		return r.refuse(conn, eventpipe.BadEncoding, "")
	}
	raw = append(raw, make([]byte, size-headerSize)...)
	if _, err := io.ReadFull(conn, raw[headerSize:]); err != nil {
		return false
	}
	cmd, payload := eventpipe.Command(raw[16])<<8|eventpipe.Command(raw[17]), raw[headerSize:]
	r.mu.Lock()
	r.requests = append(r.requests, Request{Command: cmd, Payload: payload, Raw: raw})
	fault := r.faults[cmd]
	r.mu.Unlock()
	if fault.handle != nil {
		proceed, keep := fault.handle(r, conn)
		if !proceed {
			return keep
		}
	}
	handler, known := handlers[cmd]
	if !known || handler.since > r.cfg.Release {
		return r.refuse(conn, eventpipe.UnknownCommand, "")
	}
	return handler.handle(r, conn, cmd, payload)
}

// reply sends one message.
func reply(conn net.Conn, id byte, payload []byte) {
	b := append(make([]byte, 0, headerSize+len(payload)), "DOTNET_IPC_V1\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(headerSize+len(payload)))
	b = append(b, 0xFF, id, 0, 0)
	conn.Write(append(b, payload...))
}

// refuse sends an error. A malformed message leaves the connection open.
func (r *Runtime) refuse(conn net.Conn, hr eventpipe.HResult, message string) (keep bool) {
	payload := binary.LittleEndian.AppendUint32(nil, uint32(hr))
	if message != "" {
		payload = appendText(payload, message)
	}
	reply(conn, refused, payload)
	return hr == eventpipe.BadEncoding
}

// result answers that it worked.
func (r *Runtime) result(conn net.Conn, _ eventpipe.Command, _ []byte) bool {
	reply(conn, ok, make([]byte, 4))
	return false
}

// resumeRuntime answers before it resumes: otherwise a process that ends right
// after the resume would close the connection first.
func (r *Runtime) resumeRuntime(conn net.Conn, cmd eventpipe.Command, payload []byte) bool {
	keep := r.result(conn, cmd, payload)
	r.resume.Do(func() { close(r.resumed) })
	return keep
}

// processInfo answers with the fields of the command's version. To an unexpected
// payload it answers like the real server: without a header.
func (r *Runtime) processInfo(conn net.Conn, cmd eventpipe.Command, payload []byte) bool {
	if len(payload) > 0 {
		conn.Write(append(payload, make([]byte, 24)...))
		return false
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
	return false
}

// processEnvironment answers with the size of the data that follows the message.
func (r *Runtime) processEnvironment(conn net.Conn, _ eventpipe.Command, _ []byte) bool {
	block := binary.LittleEndian.AppendUint32(nil, uint32(len(r.cfg.Environment)))
	for _, kv := range r.cfg.Environment {
		block = appendText(block, kv)
	}
	reply(conn, ok, append(binary.LittleEndian.AppendUint32(nil, uint32(len(block))), 0, 0))
	conn.Write(block)
	return false
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
