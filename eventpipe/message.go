package eventpipe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
)

// magic opens every message, in both directions.
const magic = "DOTNET_IPC_V1\x00"

const (
	headerSize = 20
	maxMessage = 1<<16 - 1
)

// appendHeader appends a header for a payload of that many bytes: magic, size
// of the complete message, set, id, and two bytes of zero.
func appendHeader(b []byte, cmd Command, payload int) []byte {
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, uint16(headerSize+payload))
	return append(b, byte(cmd>>8), byte(cmd), 0, 0)
}

// appendString appends a string: the number of UTF-16 units, the NUL at its
// end among them, and the units.
func appendString(b []byte, s string) []byte {
	units := utf16.Encode([]rune(s))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(units)+1))
	for _, u := range units {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return append(b, 0, 0)
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// readMessage reads one message. Bytes that are no message, for example those
// that some runtimes answer a wrong command with, are an error.
func readMessage(r io.Reader) (Command, []byte, error) {
	var head [headerSize]byte
	if n, err := io.ReadFull(r, head[:]); err != nil {
		if n > 0 && errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, nil, malformed("the answer ends after %d of the header's %d bytes", n, headerSize)
		}
		return 0, nil, err
	}
	if string(head[:len(magic)]) != magic {
		return 0, nil, malformed("the answer does not begin with DOTNET_IPC_V1 but with % x", head[:len(magic)])
	}
	size := int(binary.LittleEndian.Uint16(head[14:]))
	if size < headerSize {
		return 0, nil, malformed("the answer's size is %d, less than its header", size)
	}
	payload := make([]byte, size-headerSize)
	if n, err := io.ReadFull(r, payload); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
			err = malformed("the answer ends after %d of its %d bytes", headerSize+n, size)
		}
		return 0, nil, err
	}
	return Command(head[16])<<8 | Command(head[17]), payload, nil
}

// malformed is the error for an answer that breaks the protocol. The caller adds
// the command.
func malformed(format string, args ...any) error {
	return &ProtocolError{What: fmt.Sprintf(format, args...)}
}

// fields decodes an answer's payload. After the first missing value every other
// value is zero, and err returns the error.
type fields struct {
	rest []byte
	err  error
}

func (f *fields) take(n int) []byte {
	if f.err != nil || n > len(f.rest) {
		if f.err == nil {
			f.err = malformed("the answer's payload ends in the middle of a value")
		}
		return nil
	}
	b := f.rest[:n]
	f.rest = f.rest[n:]
	return b
}

func (f *fields) uint32() uint32 {
	if b := f.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (f *fields) uint64() uint64 {
	if b := f.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// string reads a string; a count of zero is the empty one too.
func (f *fields) string() string {
	n := f.uint32()
	if uint64(n)*2 > uint64(len(f.rest)) {
		f.take(len(f.rest) + 1)
		return ""
	}
	b := f.take(int(n) * 2)
	units := make([]uint16, n)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	if n > 0 && units[n-1] == 0 {
		units = units[:n-1]
	}
	return string(utf16.Decode(units))
}

// failed is the error of a payload that ends too early.
func (f *fields) failed(cmd Command) error {
	var p *ProtocolError
	if errors.As(f.err, &p) {
		p.Command = cmd
	}
	return f.err
}
