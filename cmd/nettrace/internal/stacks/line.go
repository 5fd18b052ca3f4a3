package stacks

import (
	"strconv"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/profile"
)

// appendText appends a stack as a line of text.
func (o *options) appendText(b []byte, prof *profile.Profile, s *profile.Sample) []byte {
	b = strconv.AppendUint(b, s.Ticks, 10)
	b = display.AppendPrintable(append(b, '\t'), s.Metadata.Provider)
	b = strconv.AppendUint(append(b, '\t'), uint64(s.Metadata.EventID), 10)
	b = strconv.AppendUint(append(b, '\t'), prof.Threads()[s.Thread].ID, 10)
	stack := o.frames(prof, s)
	for at := range stack {
		b = display.AppendPrintable(append(b, '\t'), o.frame(prof, stack, at))
	}
	return append(b, '\n')
}

// table returns a table with a row for each stack. Its lines fit the screen.
func (o *options) table(prof *profile.Profile, list []profile.Sample, screen terminal.Screen) []byte {
	table := terminal.Table{Columns: []terminal.Column{
		{Title: "TICKS", Right: true}, {Title: "PROVIDER", Overflow: terminal.Cut}, {Title: "ID", Right: true}, {Title: "THREAD", Right: true},
		{Title: "FRAMES", Overflow: terminal.Cut},
	}}
	for i := range list {
		s := &list[i]
		var frames []byte
		stack := o.frames(prof, s)
		for at := range stack {
			if at > 0 {
				frames = append(frames, " ← "...)
			}
			frames = display.AppendPrintable(frames, o.frame(prof, stack, at))
		}
		table.Add(terminal.Cells(strconv.FormatUint(s.Ticks, 10), display.Printable(s.Metadata.Provider),
			strconv.FormatUint(uint64(s.Metadata.EventID), 10), strconv.FormatUint(prof.Threads()[s.Thread].ID, 10),
			screen.Shorten(string(frames), 0))...)
	}
	return table.Append(nil, screen)
}

// appendJSON appends a stack as a line of JSON.
func (o *options) appendJSON(b []byte, prof *profile.Profile, s *profile.Sample) []byte {
	j := jsontext.Builder{Bytes: append(b, '{')} // Open would separate it from the line before
	appendEvent(&j, prof, s)
	j.Key("frames").Open('[')
	stack := o.frames(prof, s)
	for at := range stack {
		j.Text(o.frame(prof, stack, at))
	}
	j.Close(']')
	j.Close('}')
	return append(j.Bytes, '\n')
}

// appendEvent appends the keys of the event.
func appendEvent(j *jsontext.Builder, prof *profile.Profile, s *profile.Sample) {
	thread := &prof.Threads()[s.Thread]
	j.Key("type").Text("stack")
	j.Key("provider").Text(s.Metadata.Provider)
	j.Key("id").Number(int64(s.Metadata.EventID))
	j.Key("time").Decimal(s.Ticks)
	j.Key("thread").Decimal(thread.ID)
	if thread.ProcessID != 0 {
		j.Key("process").Decimal(thread.ProcessID)
	}
}

// frames returns the frames of a stack that are printed, leaf first.
func (o *options) frames(prof *profile.Profile, s *profile.Sample) []profile.FrameID {
	stack := prof.Stack(s.Stack)
	if o.depth > 0 {
		stack = stack[:min(len(stack), o.depth)]
	}
	return stack
}

// frame returns the text of a frame.
func (o *options) frame(prof *profile.Profile, stack []profile.FrameID, at int) string {
	id := stack[at]
	f := prof.Frame(id)
	switch {
	case o.addresses && f.Address > 0:
		return "0x" + strconv.FormatUint(f.Address, 16)
	case o.rawNames:
		return prof.Function(f.Function).RawName
	}
	name := prof.Function(f.Function).Name
	if o.lines {
		if text := samples.LineText(prof.Location(id)); text != "" {
			name += "  " + text
			if why := prof.Uncertain(stack, at); why != "" {
				name += " (" + why + "?)"
			}
		}
	}
	return name
}
