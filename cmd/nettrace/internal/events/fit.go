package events

import "github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"

// fit returns a line that fits the screen, with the label in a colour. The label and the
// details begin at these offsets. Details that the user asked for are broken into lines,
// others are shortened.
func (w *eventText) fit(line string, label, details int, c terminal.Color) string {
	start, name, text := line[:label], line[label:details], line[details:]
	asked := w.fields || w.payload
	switch room := w.screen.Width - label; {
	case w.screen.Width == 0:
	case asked:
		name = terminal.Shorten(name, max(room, minLabel))
	default:
		name, text = terminal.ShortenBoth(name, text, room)
	}
	line = start + w.screen.Paint(c, name) + text
	if asked {
		line = w.screen.Wrap(line, label+2)
	}
	return line
}

// minLabel is the width to which a label is shortened on a screen that is too narrow.
const minLabel = 20

// levelColor returns the colour of the names of events of a level.
func levelColor(level uint32) terminal.Color {
	switch level {
	case 1, 2: // critical, error
		return terminal.Red
	case 3: // warning
		return terminal.Yellow
	}
	return terminal.Cyan
}
