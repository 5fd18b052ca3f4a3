package analysis

import (
	"bytes"
	"encoding/json"
)

// JSON returns the object on one line that "nettrace report --json" prints for a
// report of a file. It has rows and totals, which are empty if the trace has no events of the part.
func (r *Report) JSON(file string) []byte {
	whole := *r
	if whole.Rows == nil {
		whole.Rows = []any{}
	}
	if whole.Totals == nil {
		whole.Totals = struct{}{}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(struct { // cannot fail: the report has no other types than text and numbers
		File string `json:"file"`
		Report
	}{file, whole})
	return b.Bytes()
}
