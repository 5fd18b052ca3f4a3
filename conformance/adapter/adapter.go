package adapter

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Exit is what a reader makes of a trace as a whole.
type Exit byte

// What a reader makes of a trace. Anything else is a crash.
const (
	Read        Exit = 0 // to its end
	Rejected    Exit = 1 // it is broken; what stood before the fault was printed
	Unsupported Exit = 3 // its version, or something in it, is not read
)

// String is a word for the exit.
func (e Exit) String() string {
	switch e {
	case Read:
		return "read"
	case Rejected:
		return "rejected"
	case Unsupported:
		return "not supported"
	}
	return fmt.Sprintf("crashed (%d)", byte(e))
}

// Reader reads a trace and prints it as canonical NDJSON. What out returns need
// not be looked at.
type Reader func(trace []byte, out io.Writer) Exit

// StreamFlag is the argument that asks a program for many traces.
const StreamFlag = "--stream"

// Main is the main function of a program that is a reader under test.
func Main(read Reader) {
	if slices.Contains(os.Args[1:], StreamFlag) {
		if err := Serve(os.Stdin, os.Stdout, read); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return
	}
	trace, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	out := bufio.NewWriter(os.Stdout)
	exit := read(trace, out)
	if err := out.Flush(); err != nil {
		os.Exit(2)
	}
	os.Exit(int(exit))
}

// Serve answers requests until in ends.
func Serve(in io.Reader, out io.Writer, read Reader) error {
	src := bufio.NewReader(in)
	for {
		trace, err := ReadBlob(src)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var lines bytes.Buffer
		exit := read(trace, &lines)
		if err := WriteBlob(out, lines.Bytes(), byte(exit)); err != nil {
			return err
		}
	}
}

// ReadBlob reads a length and as many bytes. The error is io.EOF when there is
// nothing to read. Memory grows with what comes, not with what was said.
func ReadBlob(src io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(src, head[:]); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(head[:]))
	var blob bytes.Buffer
	if _, err := io.CopyN(&blob, src, n); err != nil {
		return nil, fmt.Errorf("%d bytes of %d came: %w", blob.Len(), n, io.ErrUnexpectedEOF)
	}
	return blob.Bytes(), nil
}

// WriteBlob writes a length, as many bytes, and what follows them.
func WriteBlob(dst io.Writer, blob []byte, behind ...byte) error {
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(blob)+len(behind)), uint32(len(blob)))
	_, err := dst.Write(append(append(b, blob...), behind...))
	return err
}
