package telemetry

import "encoding/hex"

// TraceID is the id of a W3C trace. The zero value is none.
type TraceID [16]byte

// SpanID is the id of a span of a W3C trace. The zero value is none.
type SpanID [8]byte

// ParseTraceID reads 32 hexadecimal digits. The id is the zero one for any other text.
func ParseTraceID(text string) (id TraceID) {
	read(id[:], text)
	return id
}

// ParseSpanID reads 16 hexadecimal digits. The id is the zero one for any other text.
func ParseSpanID(text string) (id SpanID) {
	read(id[:], text)
	return id
}

// read decodes hexadecimal digits of exactly the length of an id.
func read(id []byte, text string) {
	if len(text) != 2*len(id) {
		return
	}
	if _, err := hex.Decode(id, []byte(text)); err != nil {
		clear(id)
	}
}

// String returns the id in hexadecimal digits.
func (id TraceID) String() string { return hex.EncodeToString(id[:]) }

// String returns the id in hexadecimal digits.
func (id SpanID) String() string { return hex.EncodeToString(id[:]) }
