package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// line is one line of an answer, by its keys.
type line map[string]any

// kind is the type of the line.
func (l line) kind() string {
	kind, _ := l["type"].(string)
	return kind
}

// place is a key of each line: its number in the answer, from 1.
const place = "\x00line"

// answer is the output of a reader for a trace.
type answer struct {
	trace  line   // nil without one
	events []line // and rows, in order
	lost   []line
	end    line
	omits  map[string]bool
	byTime bool

	defects int  // number of defect lines
	reports bool // the reader rejected the trace or printed a defect line
}

// parse reads the lines of an answer.
func parse(text []byte) (*answer, error) {
	a := &answer{omits: map[string]bool{}}
	for n, row := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		if a.end != nil {
			return nil, errors.New("a line after the end line")
		}
		l, err := parseLine(row)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		l[place] = n + 1
		if err := a.add(l, n); err != nil {
			return nil, err
		}
	}
	if a.end == nil {
		return nil, errors.New("no end line")
	}
	if !slices.ContainsFunc(a.events, func(l line) bool { return l.kind() != "event" }) {
		a.omits["rows"] = true
	}
	if a.omits["rows"] {
		a.omits["metadata"], a.omits["sorted"] = true, true
	}
	return a, nil
}

// add adds the line of a number, from 0.
func (a *answer) add(l line, n int) error {
	switch kind := l.kind(); kind {
	case "trace":
		if n > 0 {
			return errors.New("the trace line is not the first one")
		}
		a.trace, a.byTime = l, l["order"] == "time"
		list, _ := l["omits"].([]any)
		for _, key := range list {
			a.omits[fmt.Sprint(key)] = true
		}
	case "defect":
		a.defects++
	case "lost":
		a.lost = append(a.lost, l)
	case "end":
		a.end = l
	case "event", "metadata", "thread", "removeThread", "sequencePoint", "flush":
		a.events = append(a.events, l)
	default:
		return fmt.Errorf("line %d: of unknown type %q", n+1, kind)
	}
	return nil
}

func parseLine(text []byte) (line, error) {
	d := json.NewDecoder(bytes.NewReader(keepSurrogates(text)))
	d.UseNumber()
	var l line
	if err := d.Decode(&l); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("more than an object")
	}
	return l, nil
}

// keepSurrogates writes each escape of a surrogate without its partner in another
// way: package json would read them all as U+FFFD.
func keepSurrogates(text []byte) []byte {
	if !bytes.Contains(text, []byte(`\u`)) {
		return text
	}
	const escape = 6 // bytes of \uXXXX
	var b []byte
	for i := 0; i < len(text); {
		high := surrogate(text[i:])
		n := 1
		switch {
		case high >= 0xD800 && high < 0xDC00 && surrogate(text[i+escape:]) >= 0xDC00:
			n = 2 * escape
		case high >= 0:
			b = fmt.Appendf(b, `\uffffunpaired %x`, high)
			i += escape
			continue
		case text[i] == '\\':
			n = 2
		}
		b = append(b, text[i:min(i+n, len(text))]...)
		i += n
	}
	return b
}

// surrogate is the escaped surrogate that text begins with, or -1.
func surrogate(text []byte) int64 {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	v, err := strconv.ParseInt(string(text[2:6]), 16, 32)
	if err != nil || v < 0xD800 || v > 0xDFFF {
		return -1
	}
	return v
}

// holdsNothing reports whether a key with this value is equal to an omitted key.
func holdsNothing(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == "" || v == "00000000-0000-0000-0000-000000000000"
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// canonical is a text that two values share when they are the same.
func canonical(v any) string {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return "#" + strconv.FormatUint(math.Float64bits(f), 16)
	case string:
		return strconv.Quote(v)
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = canonical(v[i])
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for key, inner := range v {
			parts = append(parts, strconv.Quote(key)+":"+canonical(inner))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	return fmt.Sprint(v)
}
