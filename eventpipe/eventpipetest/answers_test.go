//go:build unix

package eventpipetest_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// recordedAnswer is what a real runtime answered to a request.
type recordedAnswer struct {
	Runtime, Group, Case string
	Request, Payload     string // hexadecimal
	Answer, Code, Closes string
	Session              bool
}

// otherMachine are the cases whose answer depends on files of the machine of the recording, or on
// bytes that lay behind the message.
func otherMachine(a recordedAnswer) bool {
	switch a.Case {
	case "hook", "hook-trailing", "hook-not-a-hook", "attach-library":
		return a.Code != eventpipeCode(eventpipe.UnknownCommand)
	case "perfmap-short":
		return a.Runtime == "8.0.34"
	}
	return strings.HasSuffix(a.Case, "-nodir") && a.Code != eventpipeCode(eventpipe.UnknownCommand)
}

func eventpipeCode(h eventpipe.HResult) string { return fmt.Sprintf("%08x", uint32(h)) }

// TestAnswers sends the requests of all recorded cases that are one request: the answer and what
// then becomes of the connection are those of the real runtime of the same release.
func TestAnswers(t *testing.T) {
	compared := 0
	for line := range bytes.Lines(shared.File(t, "replay/cases.ndjson.zst")) {
		var a recordedAnswer
		expect.NoError(t, json.Unmarshal(line, &a))
		if otherMachine(a) {
			continue
		}
		compared++
		release := 0
		fmt.Sscanf(a.Runtime, "%d.", &release)
		r := eventpipetest.Start(t, eventpipetest.Config{Release: release})
		if got, want := answerTo(t, r, a), a.Answer+a.Code+" "+a.Closes; got != want {
			t.Errorf("%s, %s %s: %s, want %s", a.Runtime, a.Group, a.Case, got, want)
		}
		r.Kill()
	}
	expect.AtLeast(t, "cases", compared, 1600)
}

// answerTo sends a request and describes the answer in the words of the recording.
func answerTo(t *testing.T, r *eventpipetest.Runtime, a recordedAnswer) string {
	request, err := hex.DecodeString(a.Request)
	expect.NoError(t, err)
	conn, err := net.Dial("unix", r.Address())
	expect.NoError(t, err)
	defer conn.Close()
	_, err = conn.Write(request)
	expect.NoError(t, err)
	if a.Answer == "waits" {
		if quiet(t, conn) != nil {
			return "an answer before the client has ended the request"
		}
		conn.(*net.UnixConn).CloseWrite()
		if strings.HasSuffix(a.Case, "count-huge") {
			r.Kill()
		}
	}
	header := make([]byte, 20)
	n, err := io.ReadFull(conn, header)
	switch {
	case a.Answer == "waits" && (n == 0 || n == 20 && header[17] == 0xFF):
		return "waits "
	case n == 0:
		if _, err := net.Dial("unix", r.Address()); err != nil {
			return "dies "
		}
		return "closes without an answer"
	case err != nil || string(header[:4]) != "DOTN":
		return "garbage " + endOf(t, r, conn)
	}
	payload := make([]byte, int(binary.LittleEndian.Uint16(header[14:]))-20)
	_, err = io.ReadFull(conn, payload)
	expect.NoError(t, err)
	if header[17] == 0xFF {
		return "error" + hex.EncodeToString([]byte{payload[3], payload[2], payload[1], payload[0]}) + " " + endOf(t, r, conn)
	}
	sent := request[min(20, len(request)):]
	if want, _ := hex.DecodeString(a.Payload); !a.Session && len(want) > 0 && len(sent) >= len(want) && !bytes.Equal(payload, want) {
		return "ok with " + hex.EncodeToString(payload)
	}
	if a.Session {
		id := binary.LittleEndian.AppendUint64(nil, binary.LittleEndian.Uint64(payload))
		stop, err := net.Dial("unix", r.Address())
		expect.NoError(t, err)
		defer stop.Close()
		stop.Write(append([]byte("DOTNET_IPC_V1\x00\x1c\x00\x02\x01\x00\x00"), id...))
		if _, err := io.ReadAll(conn); err == nil {
			return "ok after stop"
		}
	}
	return "ok " + endOf(t, r, conn)
}

// endOf waits for another client's answer and then looks at what has become of the connection.
func endOf(t *testing.T, r *eventpipetest.Runtime, conn net.Conn) string {
	r.Client().ProcessInfo(t.Context())
	err := quiet(t, conn)
	switch {
	case err == nil:
		return "no"
	case err == syscall.ECONNRESET:
		return "reset"
	}
	return "eof"
}

// quiet reads without waiting. It returns nil if there is nothing to read.
func quiet(t *testing.T, conn net.Conn) (end error) {
	raw, err := conn.(*net.UnixConn).SyscallConn()
	expect.NoError(t, err)
	raw.Read(func(fd uintptr) bool {
		for end == nil {
			n, _, err := syscall.Recvfrom(int(fd), make([]byte, 512), syscall.MSG_DONTWAIT)
			switch {
			case err == syscall.EAGAIN:
				return true
			case err != nil:
				end = err
			case n == 0:
				end = io.EOF
			}
		}
		return true
	})
	return end
}
