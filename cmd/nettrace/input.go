package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	library "github.com/nettrace-go/nettrace"
)

// stdinName is the name of standard input, on the command line and in messages.
const stdinName = "-"

// input is one opened file: the plain bytes of the stream in it, whatever they
// are packed in.
type input struct {
	name     string
	plain    io.Reader
	at       io.ReaderAt // the file as it lies, nil when it is none
	bytes    int64       // plain bytes handed out
	ended    bool        // and these are all
	stored   int64       // bytes of the file as it lies, -1 when unknown
	packed   string      // what it is compressed with, "" for nothing
	regular  bool        // it is a file, so that its end comes
	before   func()
	closers  []func()
	progress *progress
}

// Read hands out plain bytes. What is written so far goes out first: the source
// may stay silent.
func (in *input) Read(b []byte) (int, error) {
	if in.before != nil {
		in.before()
	}
	n, err := in.plain.Read(b)
	in.bytes += int64(n)
	in.ended = in.ended || err == io.EOF
	if err != nil && err != io.EOF {
		err = damaged(in.packed, err)
	}
	return n, err
}

// damaged is the error for data with the given compression that cannot be unpacked.
func damaged(compression string, err error) error {
	var window *library.WindowError
	if errors.As(err, &window) {
		return windowError(window.Size)
	}
	var data *library.DamagedError
	if errors.As(err, &data) {
		compression, err = data.Compression, data.Err
	}
	if compression == "" {
		return err
	}
	return fmt.Errorf("damaged %s data: %w", compression, err)
}

// streamInput returns the bytes of a stream as an input of the given name. before is
// called before each read.
func streamInput(name string, stream io.Reader, before func()) *input {
	return &input{name: name, plain: stream, stored: -1, before: before}
}

// endProgress removes the progress bar: what the command prints next may be on the
// same terminal.
func (in *input) endProgress() { in.progress.stop() }

// watchedFile returns the file of a plain input; reading it moves the progress bar.
func (in *input) watchedFile() io.ReaderAt { return in.progress.watchAt(in.at) }

// plainFile reports whether the input is an uncompressed regular file, which can be
// read at any offset.
func (in *input) plainFile() bool { return in.at != nil && in.packed == "" }

// Close closes what is open and ends the progress bar.
func (in *input) Close() {
	for _, f := range in.closers {
		f()
	}
	in.progress.stop()
}

// size is the number of plain bytes of the file: false when it is not known, because
// the file is compressed, or no file, and reading did not come to its end. Then it is
// the number of bytes that were read.
func (in *input) size() (n int64, known bool) {
	if in.packed == "" && in.regular {
		return in.stored, true
	}
	return in.bytes, in.ended
}

// opening says how a file is to be opened.
type opening struct {
	waiting func(io.Reader) io.Reader // around a file that grows, or nil
	before  func()                    // to do before each read, or nil
	silent  bool                      // nothing is written before the end: a bar disturbs nothing
	quiet   bool                      // no bar: it is the second reading of a file
}

// open opens a file by name and finds out by its first bytes what it is packed
// in.
func (p *program) open(name string, how opening) (*input, error) {
	in := &input{name: name, before: how.before, stored: -1}
	source, err := p.source(in)
	if err != nil {
		return nil, exitWith(exitUsage, err)
	}
	if how.waiting != nil && in.regular {
		source = how.waiting(source)
	} else if !how.quiet {
		in.progress = newProgress(p.stderr, in.stored, how.silent || !isTerminal(p.stdout))
		source = in.progress.watch(source)
	}
	if err := in.unpack(source); err != nil {
		in.Close()
		return nil, exitWith(exitBroken, fileError(name, err))
	}
	if how.waiting != nil && in.packed != "" {
		in.Close()
		return nil, exitWith(exitUsage, fileError(name, errors.New("a compressed file cannot be followed")))
	}
	return in, nil
}

// source opens the file as it lies.
func (p *program) source(in *input) (io.Reader, error) {
	if in.name == stdinName {
		if f, ok := p.stdin.(*os.File); ok {
			in.measure(f)
		}
		return p.stdin, nil
	}
	f, err := os.Open(in.name)
	if err != nil {
		return nil, err
	}
	if info := in.measure(f); info != nil && info.IsDir() {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: in.name, Err: syscall.EISDIR}
	}
	in.closers = append(in.closers, func() { f.Close() })
	if in.regular {
		in.at = f
	}
	return f, nil
}

// measure notes the size of a regular file.
func (in *input) measure(f *os.File) fs.FileInfo {
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	if info.Mode().IsRegular() {
		in.stored, in.regular = info.Size(), true
	}
	return info
}

// unpack opens the uncompressed stream in source.
func (in *input) unpack(source io.Reader) error {
	src, err := library.NewSource(source, library.SourceOptions{ReadAhead: true})
	if err != nil {
		return damaged("", err)
	}
	in.plain, in.packed = src, src.Compression().Compression
	in.closers = append(in.closers, func() {
		if in.regular {
			src.Close()
			return
		}
		go src.Close() // the source may never return from its current read
	})
	if src.Compression().Other == "a zip archive" {
		return errors.New("a zip archive, not a NetTrace stream: unpack it first")
	}
	return nil
}
