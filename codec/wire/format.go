package wire

import "strconv"

// Format is the version of a stream, as its header states it.
type Format struct {
	Major, Minor uint32
}

// The versions of the format.
var (
	V3 = Format{Major: 3}
	V4 = Format{Major: 4}
	V5 = Format{Major: 5} // V4 with tags in metadata; a Writer states 4 in the header
	V6 = Format{Major: 6}
)

// String is "3", "4", "5" or, from 6 on, "6.0" with the minor number.
func (f Format) String() string {
	s := strconv.FormatUint(uint64(f.Major), 10)
	if f.Major >= 6 {
		s += "." + strconv.FormatUint(uint64(f.Minor), 10)
	}
	return s
}
