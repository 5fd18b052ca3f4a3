package calltree

import (
	"bytes"
	"encoding/json"
)

// Quote is text as a JSON string, in which <, > and & stand for themselves.
func Quote(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a buffer takes everything
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
