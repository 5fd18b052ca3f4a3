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

// Exit is the exit code of an adapter. Other codes mean a crash.
type Exit byte

// The exit codes of adapters.
const (
	Read        Exit = 0 // the trace was read to its end
	Rejected    Exit = 1 // the trace has a fault; the lines before it were written
	Unsupported Exit = 3 // the reader does not support the version or a feature of the trace
)

// String returns the exit code in words.
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

// Reader reads a trace and writes it as canonical NDJSON. It may ignore errors
// of out.
type Reader func(trace []byte, out io.Writer) Exit

// StreamFlag is the argument for many traces in one process, see Serve.
const StreamFlag = "--stream"

// Main is the main function of an adapter. It exits the process.
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

// Serve answers requests until in ends. Its error is that of in or out.
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

// ReadBlob reads a length and that many bytes. The error is io.EOF if src is at
// its end. The memory depends on the bytes received, not on the length.
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

// WriteBlob writes the length of blob, blob, and then the bytes of the last
// argument.
func WriteBlob(dst io.Writer, blob []byte, rest ...byte) error {
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(blob)+len(rest)), uint32(len(blob)))
	_, err := dst.Write(append(append(b, blob...), rest...))
	return err
}
