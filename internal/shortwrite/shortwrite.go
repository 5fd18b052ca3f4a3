// Package shortwrite makes an incomplete write an error.
package shortwrite

import "io"

// Writer is a writer whose incomplete writes are errors.
type Writer struct{ To io.Writer }

// Write implements io.Writer.
func (w Writer) Write(b []byte) (int, error) {
	n, err := w.To.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return n, err
}

// Write writes b to w. A write of fewer bytes without an error is io.ErrShortWrite.
func Write(w io.Writer, b []byte) error {
	_, err := Writer{w}.Write(b)
	return err
}
