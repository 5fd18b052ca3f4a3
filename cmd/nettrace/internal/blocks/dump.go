package blocks

import (
	"fmt"
)

// appendDump appends bytes as lines of sixteen: the offset of the first in the
// stream, in the format of column, the bytes in hex, and those that are printable.
func appendDump(b []byte, column string, bytes []byte, offset int64) []byte {
	const digits, width = "0123456789abcdef", 16
	for len(bytes) > 0 {
		line := bytes[:min(width, len(bytes))]
		b = fmt.Appendf(b, column, offset)
		for i := range width {
			if i == width/2 {
				b = append(b, ' ')
			}
			if i < len(line) {
				b = append(b, digits[line[i]>>4], digits[line[i]&15], ' ')
			} else {
				b = append(b, "   "...)
			}
		}
		b = append(b, " |"...)
		for _, c := range line {
			if c < ' ' || c > '~' {
				c = '.'
			}
			b = append(b, c)
		}
		b = append(b, "|\n"...)
		bytes, offset = bytes[len(line):], offset+int64(len(line))
	}
	return b
}
