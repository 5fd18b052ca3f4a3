package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"sync"
)

// Mismatch is a key of a line whose value is not the expected one. The values
// are complete, in the notation of conformance/PROTOCOL.md.
type Mismatch struct {
	// Key is the key.
	Key string
	// Got is the printed value, nil if the key is missing or has an empty value.
	Got json.RawMessage
	// Want is the expected value, nil if the key may be missing.
	Want json.RawMessage
}

// Error returns the key and both values.
func (d *Mismatch) Error() string {
	return fmt.Sprintf("%s is %s, want %s", d.Key, orMissing(d.Got), orMissing(d.Want))
}

func orMissing(value json.RawMessage) string {
	if value == nil {
		return "missing"
	}
	return string(value)
}

// mismatch returns the difference of a key.
func mismatch(key string, got, want any) error {
	return &Mismatch{key, rawValue(got), rawValue(want)}
}

func rawValue(v any) json.RawMessage {
	if holdsNothing(v) {
		return nil
	}
	return json.RawMessage(notation(v))
}

// unpaired is how keepSurrogates writes the escape of an unpaired surrogate.
var unpaired = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\uffffunpaired (d[89a-f][0-9a-f]{2})") })

// notation returns a parsed value in the notation of the protocol.
func notation(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return unpaired().ReplaceAllString(string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), `\u$1`)
}
