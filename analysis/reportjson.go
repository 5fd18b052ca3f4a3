package analysis

import (
	"bytes"
	"encoding/json"
)

// JSON returns the object on one line that "nettrace report --json" prints for a
// report of a file.
func (r *Report) JSON(file string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(struct { // cannot fail: the report has no other types than text and numbers
		File string `json:"file"`
		Report
	}{file, *r})
	return b.Bytes()
}
