package wire

// GUID has the sixteen bytes of a Guid in the order of the stream.
//
// Spec: "TypeCode", Guid: an Int32, two Int16 and eight bytes, little-endian.
type GUID [16]byte

// IsZero reports whether all bytes are zero.
func (g GUID) IsZero() bool { return g == GUID{} }

// String returns the usual form, in lower case with dashes.
func (g GUID) String() string { return string(g.AppendText(make([]byte, 0, 36))) }

// AppendText appends the form that String returns.
func (g GUID) AppendText(dst []byte) []byte {
	const hex = "0123456789abcdef"
	order := [16]byte{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15}
	for i, at := range order {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, hex[g[at]>>4], hex[g[at]&15])
	}
	return dst
}

// ReadGUID reads a GUID at pos.
func ReadGUID(b []byte, pos int) (GUID, int) {
	if pos < 0 || pos > len(b)-16 {
		return GUID{}, PastEnd
	}
	return GUID(b[pos : pos+16]), pos + 16
}
