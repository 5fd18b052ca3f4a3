package interactive

import "github.com/gdamore/tcell/v2"

// keyNames are the names of keys without a character.
var keyNames = map[tcell.Key]string{
	tcell.KeyUp:         "up",
	tcell.KeyDown:       "down",
	tcell.KeyLeft:       "left",
	tcell.KeyRight:      "right",
	tcell.KeyPgUp:       "pgup",
	tcell.KeyPgDn:       "pgdn",
	tcell.KeyHome:       "home",
	tcell.KeyEnd:        "end",
	tcell.KeyEnter:      "enter",
	tcell.KeyEscape:     "esc",
	tcell.KeyBackspace:  "backspace",
	tcell.KeyBackspace2: "backspace",
	tcell.KeyF1:         "f1",
	tcell.KeyF4:         "f4",
	tcell.KeyF10:        "f10",
	tcell.KeyCtrlC:      "ctrl-c",
	tcell.KeyCtrlL:      "ctrl-l",
	tcell.KeyCtrlU:      "ctrl-u",
	tcell.KeyCtrlZ:      "ctrl-z",
}

// keyName returns the name of a key, "" for one that no page uses.
func keyName(e *tcell.EventKey) string {
	switch {
	case e.Key() != tcell.KeyRune:
		return keyNames[e.Key()]
	case e.Modifiers()&(tcell.ModCtrl|tcell.ModAlt|tcell.ModMeta) != 0:
		return ""
	case e.Rune() == ' ':
		return "space"
	}
	return string(e.Rune())
}
