package stack

import (
	"fmt"
	"strconv"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/profile"
)

// indent is that of frames.
const indent = "    "

// appendText appends a sample: a line about the process, and the groups after empty lines.
func (o *options) appendText(b []byte, s *sample, screen terminal.Screen) []byte {
	line := s.process.Title
	if info := s.process.Info; info != nil && info.Version != "" {
		line += ", .NET " + info.Version
	}
	line += fmt.Sprintf(", %s: %s in %s", s.time().Local().Format("2006-01-02 15:04:05.000"),
		display.Counted(int64(s.threads), "thread"), display.Counted(int64(len(s.groups)), "group"))
	if s.others > 0 {
		line += fmt.Sprintf("; %s without managed frames", display.Counted(int64(s.others), "thread"))
	}
	b = append(b, screen.Shorten(line, 0)+"\n"...)
	for i := range s.groups {
		b = o.appendGroup(append(b, '\n'), s, &s.groups[i], screen)
	}
	return b
}

// time returns the time of the sample.
func (s *sample) time() time.Time { return s.prof.Trace.Time(s.ticks) }

// appendGroup appends the state of a group, its threads and its frames.
func (o *options) appendGroup(b []byte, s *sample, g *group, screen terminal.Screen) []byte {
	title := display.Counted(int64(len(g.threads)), "thread") + " " + g.stateText()
	b = append(b, screen.Paint(terminal.Bold, title)+":"...)
	for i, t := range g.threads {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(append(b, ' '), t.id, 10)
		if t.name != "" {
			b = display.AppendPrintable(append(b, ' '), t.name)
		}
	}
	b = append(b, '\n')
	shown := o.shown(g)
	for _, id := range shown {
		b = append(b, indent+screen.Shorten(display.Printable(o.method(s.prof, id)), len(indent))+"\n"...)
	}
	if n := len(g.methods) - len(shown); n > 0 {
		b = append(b, fmt.Sprintf(indent+"... %s\n", display.Counted(int64(n), "more frame"))...)
	}
	return b
}

// stateText returns the state with its cause, and whether the threads are workers of the
// thread pool.
func (g *group) stateText() string {
	text := g.state.String()
	if g.cause != "" {
		text += " (" + g.cause + ")"
	}
	if g.pool && g.state != profile.Idle {
		text += " in the thread pool"
	}
	return text
}

// appendJSON appends a sample as one object on one line.
func (o *options) appendJSON(b []byte, s *sample) []byte {
	j := &jsontext.Builder{Bytes: b}
	j.Open('{')
	j.Key("type").Text("stack")
	if info := s.process.Info; info != nil {
		j.Key("processId").Number(int64(info.PID))
		j.Key("process").Text(info.EntryAssembly)
		j.Key("runtime").Text(info.Version)
	}
	j.Key("time").Text(s.time().UTC().Format(time.RFC3339Nano))
	j.Key("ticks").Decimal(s.ticks)
	j.Key("threads").Number(int64(s.threads))
	if s.others >= 0 {
		j.Key("threadsWithoutManagedFrames").Number(int64(s.others))
	}
	j.Key("groups").Open('[')
	for i := range s.groups {
		o.appendGroupJSON(j, s.prof, &s.groups[i])
	}
	j.Close(']')
	j.Close('}')
	return append(j.Bytes, '\n')
}

func (o *options) appendGroupJSON(j *jsontext.Builder, prof *profile.Profile, g *group) {
	j.Open('{')
	j.Key("state").Text(g.state.String())
	if g.cause != "" {
		j.Key("cause").Text(g.cause)
	}
	j.Key("threadPool").Bool(g.pool)
	j.Key("threads").Open('[')
	for _, t := range g.threads {
		j.Open('{')
		j.Key("threadId").Number(int64(t.id))
		if t.name != "" {
			j.Key("name").Text(t.name)
		}
		j.Close('}')
	}
	j.Close(']')
	j.Key("frames").Open('[')
	for _, id := range o.shown(g) {
		j.Text(o.method(prof, id))
	}
	j.Close(']')
	j.Close('}')
}

// shown returns the frames that are printed.
func (o *options) shown(g *group) []profile.FunctionID {
	if o.depth > 0 {
		return g.methods[:min(len(g.methods), o.depth)]
	}
	return g.methods
}

// method returns the text of a frame.
func (o *options) method(prof *profile.Profile, id profile.FunctionID) string {
	if o.rawNames {
		return prof.Function(id).RawName
	}
	return prof.Function(id).Name
}
