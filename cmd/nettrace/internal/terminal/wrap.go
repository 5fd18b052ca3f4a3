package terminal

import "strings"

// minWrapped is the minimum number of columns for the text of a wrapped line. With
// fewer columns the terminal breaks the line.
const minWrapped = 20

// Wrap returns a line, wrapped at blanks into lines that fit the width. Lines after the
// first one are indented by this number of columns. A word that is too long for a line is
// shortened.
func (s Screen) Wrap(line string, indent int) string {
	if s.Width == 0 || s.Width-indent < minWrapped {
		return line
	}
	text := strings.TrimLeft(line, " ")
	start := line[:len(line)-len(text)]
	lines := wrap(text, s.Width-len(start), s.Width-indent)
	return start + strings.Join(lines, "\n"+strings.Repeat(" ", indent))
}

// wrap breaks text at blanks into lines of at most these columns: the first one, and each
// of the others.
func wrap(text string, first, others int) (lines []string) {
	width, line, at := first, "", 0
	for i, word := range strings.Split(text, " ") {
		columns := Columns(word)
		switch {
		case i > 0 && at+1+columns <= width:
			line, at = line+" ", at+1
		case i > 0:
			lines = append(lines, line)
			width, line, at = others, "", 0
		}
		if columns > width && unpainted(word) == word {
			word = Shorten(word, width)
			columns = Columns(word)
		}
		line, at = line+word, at+columns
	}
	return append(lines, line)
}
