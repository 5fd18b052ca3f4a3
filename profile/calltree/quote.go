package calltree

import (
	"bytes"
	"encoding/json"
)

// Quote returns text as a JSON string. It does not escape <, > and &.
func Quote(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a buffer accepts all bytes
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
