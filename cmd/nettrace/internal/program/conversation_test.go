//go:build unix

package program_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestConversations gives the arguments of each recorded conversation of dotnet-trace, -counters,
// -gcdump, -stack and -dump to our command of the same purpose, with a runtime of the same release
// that streams what the recorded one streamed, and holds back what came after the stop. Every
// request is allowed; every stream is read to its end, and collect writes it byte by byte.
func TestConversations(t *testing.T) {
	folder := filepath.Join(shared.Dir(t), "replay", "conversations")
	files, err := filepath.Glob(filepath.Join(folder, "*.conv.ndjson.zst"))
	expect.NoError(t, err)
	expect.AtLeast(t, "conversations", len(files), 60)
	streams := 0
	for _, file := range files {
		c := readConversation(t, strings.TrimSuffix(filepath.Base(file), ".conv.ndjson.zst"))
		dir := t.TempDir()
		args, want := c.command(t, dir)
		fake := eventpipetest.Config{Release: c.release, Trace: c.trace()}
		if strings.Contains(c.name, "failure") {
			fake.Faults = map[eventpipe.Command]eventpipetest.Fault{eventpipe.GenerateCoreDump3: eventpipetest.Refuse(eventpipe.Fail, "[createdump] Could not create output file")}
		}
		if c.reverse {
			fake.Connect, fake.Suspended = filepath.Join(dir, "port.sock"), true
		}
		r := eventpipetest.Start(t, fake)
		for i, arg := range args {
			args[i] = strings.Replace(arg, "ADDRESS", r.Address(), 1)
		}
		got := programtest.Run(t, nil, args...)
		r.Kill() // and with it what counts the bytes sent
		if got.Code != want {
			t.Errorf("%s: %v: exit code %d, want %d: %s", c.name, args, got.Code, want, got.Stderr)
		}
		for _, wrong := range notAllowed(c.release, r, want) {
			t.Errorf("%s: %v: %s", c.name, args, wrong)
		}
		for _, s := range r.Sessions() {
			streams++
			if sent := len(s.Sent()); sent != len(c.stream) {
				t.Errorf("%s: %v: read %d of the stream's %d bytes", c.name, args, sent, len(c.stream))
			}
		}
		written, err := os.ReadFile(filepath.Join(dir, "out.nettrace"))
		if _, mark := c.ends(); err == nil && !mark { // collect adds the mark
			written = bytes.TrimSuffix(written, []byte{1})
		}
		if err == nil && !bytes.Equal(written, c.stream) {
			t.Errorf("%s: %d bytes were written, want the %d of the stream", c.name, len(written), len(c.stream))
		}
	}
	expect.AtLeast(t, "streams", streams, 60)
}

// conversation is a recorded conversation of a tool with a runtime.
type conversation struct {
	name     string
	release  int
	reverse  bool // the runtime connects to the tool
	tool     []string
	stream   []byte // of its last session
	heldBack int    // bytes of stream that came after the stop
}

func readConversation(t *testing.T, name string) conversation {
	c := conversation{name: name}
	c.release, _ = strconv.Atoi(strings.SplitN(name[strings.LastIndexByte(name, '-')+1:], ".", 2)[0])
	var data []byte
	answers, after := map[int][]byte{}, map[int]int{} // by connection
	session := -1                                     // the last connection that began with CollectTracing
	for line := range bytes.Lines(shared.File(t, "replay/conversations/"+name+".conv.ndjson.zst")) {
		var e struct {
			Bin, Mode, Ev, Dir, Hex string
			Conn, Off, Len, After   int
			Args                    []string
			Tool                    []string
		}
		expect.NoError(t, json.Unmarshal(line, &e))
		if e.Bin != "" {
			data = shared.File(t, "replay/conversations/"+e.Bin+".zst")
		}
		c.reverse = c.reverse || e.Mode == "reverse"
		if e.Ev == "tool" {
			c.tool = e.Args
		} else if len(e.Tool) > 0 {
			c.tool = append([]string{"dotnet-trace"}, e.Tool...)
		}
		chunk, err := hex.DecodeString(e.Hex)
		expect.NoError(t, err)
		if e.Len > 0 {
			chunk = data[e.Off : e.Off+e.Len]
		}
		switch {
		case e.Dir == "c2r" && len(chunk) > 17 && chunk[16] == 2 && chunk[17] >= 2:
			session = e.Conn
		case e.Dir == "r2c":
			answers[e.Conn] = append(answers[e.Conn], chunk...)
			if e.After > 0 {
				after[e.Conn] += len(chunk)
			}
		}
	}
	const answer = 28
	all := answers[session]
	at := bytes.Index(all, []byte("DOTNET_IPC_V1")) // an advertise message may come before
	if at >= 0 && len(all) > at+answer && all[at+17] == 0 {
		c.stream, c.heldBack = all[at+answer:], min(after[session], len(all)-at-answer)
	}
	return c
}

// ends reports a stream that ends without a stop, and whether it has its end mark.
func (c *conversation) ends() (byItself, mark bool) {
	mark = len(c.stream) == 0 || c.stream[len(c.stream)-1] == 1
	return c.heldBack == 0 || c.reverse, mark
}

func (c *conversation) trace() eventpipetest.Trace {
	if alone, _ := c.ends(); alone && len(c.stream) > 0 {
		return eventpipetest.Trace{Data: append(slices.Clone(c.stream), 0), TruncateAfter: len(c.stream)}
	}
	return eventpipetest.Trace{Data: c.stream, HeldBack: c.heldBack}
}

// command is our command of the same purpose and the exit code that it should have.
func (c *conversation) command(t *testing.T, dir string) (args []string, code int) {
	code = exit.Done
	if _, mark := c.ends(); !mark {
		code = exit.Broken
	}
	switch c.tool[0] {
	case "dotnet-counters":
		return []string{"counters", "--port", "ADDRESS,connect", "--duration", "50ms"}, code
	case "dotnet-gcdump":
		return []string{"heap", "--port", "ADDRESS,connect"}, code
	case "dotnet-stack":
		return []string{"stack", "--port", "ADDRESS,connect"}, code
	case "dotnet-dump":
		if strings.Contains(c.name, "failure") {
			code = exit.Broken
		}
		return []string{"dump", "--port", "ADDRESS,connect", "--type", "Mini", "-o", filepath.Join(dir, "core")}, code
	}
	if c.release < 11 && slices.Contains(c.tool, "Block") {
		code = exit.Version
	}
	ends := false
	for i := 1; i < len(c.tool); i++ {
		switch arg := c.tool[i]; arg {
		case "-p":
			args = append(args, "--port", "ADDRESS,connect")
			i++
		case "-o":
			args = append(args, "-o", filepath.Join(dir, "out.nettrace"))
			i++
		case "--duration":
			args, ends = append(args, arg, "50ms"), true
			i++
		case "--format": // the trace alone
			i++
		case "--diagnostic-port":
			i++
		case "--show-child-io":
		case "--":
			i = len(c.tool)
		default:
			ends = ends || arg == "--stopping-event-provider-name"
			args = append(args, arg)
		}
	}
	if c.reverse {
		args = append(args, "--diagnostic-port", filepath.Join(dir, "port.sock"))
	} else if !ends {
		args = append(args, "--duration", "50ms")
	}
	return append(args, "--raw"), code
}

// commandText describes the payload of each command that ours may send: a number of 1, 4 or 8
// bytes, s a string with its NUL, p providers, f providers with filters. A command that is not
// listed is not allowed.
var commandText = map[eventpipe.Command]string{
	eventpipe.GenerateCoreDump: "s44", eventpipe.GenerateCoreDump2: "s44", eventpipe.GenerateCoreDump3: "s44",
	eventpipe.StopTracing:     "8",
	eventpipe.CollectTracing2: "441p", eventpipe.CollectTracing3: "4411p", eventpipe.CollectTracing4: "4481p",
	eventpipe.CollectTracing5: "44481f", eventpipe.CollectTracing6: "44481f4",
	eventpipe.GetProcessInfo: "", eventpipe.GetProcessInfo2: "", eventpipe.GetProcessInfo3: "", eventpipe.ResumeRuntime: "",
}

// notAllowed returns what is wrong with the requests that a runtime received. The runtime itself
// refuses wrong values; here is what it does not see: bytes that are missing or too many, a stop of
// a session that was not started, a command that it has not and nothing afterwards, unless the user
// gets the exit code of that.
func notAllowed(release int, r *eventpipetest.Runtime, code int) (wrong []string) {
	ids := map[uint64]int{}
	for _, s := range r.Sessions() {
		ids[s.ID]++
	}
	requests := r.Requests()
	for i, q := range requests {
		layout, allowed := commandText[q.Command]
		p := &reading{rest: q.Payload}
		p.read(layout)
		switch {
		case !allowed:
			wrong = append(wrong, q.Command.String()+" is not a command of a recording")
		case p.bad != "" || len(p.rest) > 0:
			wrong = append(wrong, q.Command.String()+": "+p.bad+" in "+hex.EncodeToString(q.Payload))
		case q.Command == eventpipe.StopTracing:
			id := binary.LittleEndian.Uint64(q.Payload)
			if ids[id]--; ids[id] < 0 {
				wrong = append(wrong, "StopTracing of a session that was not started, or a second time")
			}
		}
		if since := sinceRelease[q.Command]; since > release && i == len(requests)-1 && code != exit.Version {
			wrong = append(wrong, q.Command.String()+" is not in the release, and no other command followed")
		}
	}
	return wrong
}

// sinceRelease has the commands of sessions and dumps that came later than .NET Core 3.1.
var sinceRelease = map[eventpipe.Command]int{
	eventpipe.CollectTracing3: 9, eventpipe.CollectTracing4: 9, eventpipe.CollectTracing5: 10, eventpipe.CollectTracing6: 11,
	eventpipe.GenerateCoreDump2: 6, eventpipe.GenerateCoreDump3: 7,
}

// reading reads a payload; bad is what is wrong with it.
type reading struct {
	rest []byte
	bad  string
}

func (p *reading) number(size int) uint64 {
	if len(p.rest) < size {
		p.rest, p.bad = nil, "it ends early"
		return 0
	}
	var b [8]byte
	copy(b[:], p.rest[:size])
	p.rest = p.rest[size:]
	return binary.LittleEndian.Uint64(b[:])
}

func (p *reading) read(layout string) {
	for _, kind := range layout {
		switch kind {
		case 's':
			n := p.number(4)
			if n == 0 || n > uint64(len(p.rest)/2) {
				p.rest, p.bad = nil, "a string without its NUL"
				return
			}
			units := p.rest[:2*n]
			p.rest = p.rest[2*n:]
			for i := 0; i < len(units); i += 2 {
				if zero := units[i]|units[i+1] == 0; zero != (i == len(units)-2) {
					p.bad = "a NUL in the middle of a string, or none at its end"
				}
			}
		case 'p', 'f':
			for n := p.number(4); n > 0 && p.bad == ""; n-- {
				p.read("84ss")
				if kind == 'f' {
					p.number(1)
					for ids := p.number(4); ids > 0 && p.bad == ""; ids-- {
						p.number(4)
					}
				}
			}
		default:
			p.number(int(kind - '0'))
		}
	}
}
