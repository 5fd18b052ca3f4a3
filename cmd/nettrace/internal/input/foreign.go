package input

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// foreign is a type of file that is not a NetTrace stream.
type foreign struct {
	at    int // offset of magic
	magic string
	text  string // what the file is, and what helps
}

// foreigners are the types of files that users give to nettrace instead of a trace. The
// first one that fits is the type.
var foreigners = []foreign{
	{0, "\xFD7zXZ\x00", "xz data, not a NetTrace stream: unpack it with xz -d"},
	{0, "BZh", "bzip2 data, not a NetTrace stream: unpack it with bunzip2"},
	{0, "\x04\x22\x4D\x18", "lz4 data, not a NetTrace stream: unpack it with lz4 -d"},
	{257, "ustar", "a tar archive, not a NetTrace stream: unpack it with tar -xf"},
	{0, "7z\xBC\xAF\x27\x1C", "a 7-Zip archive, not a NetTrace stream: unpack it first"},
	{0, zipMagic, "a zip archive, not a NetTrace stream: it is read from a whole file only, not from a pipe or a cut one"},
	{0, "PK\x05\x06", "a zip archive without files, not a NetTrace stream"},
	{0, "\x7FELF", "a program or library (ELF), not a NetTrace stream: nettrace collect records one that runs"},
	{0, "MDMP", "a memory dump of a Windows process, not a NetTrace stream: dotnet-dump analyze reads it"},
	{0, "MZ", "a program or library (PE), not a NetTrace stream: nettrace collect records one that runs"},
	{0, "version https://git-lfs.github.com/spec/", "a pointer of Git LFS, not the file: git lfs pull fetches it"},
	{72, "\x02\x00\x02\xC0", etl}, {72, "\x03\x00\x02\xC0", etl}, {72, "\x02\x00\x01\xC0", etl},
	{0, "\xFF\xFE", utf16}, {0, "\xFE\xFF", utf16},
	{0, "SQLite format 3\x00", "a database of SQLite, not a NetTrace stream"},
}

const (
	etl   = "an .etl file of ETW, not a NetTrace stream: PerfView reads it"
	utf16 = "text with a UTF-16 byte order mark, not a NetTrace stream: PowerShell's > damages binary output; write the trace with -o"
)

// texts are types of files by a text in their first bytes, in lower case, after the byte
// that they begin with.
var texts = []struct{ first, within, text string }{
	{"\x14", "gcheapdump", GCDump},
	{"\x14", "tracelog", "an .etlx file of TraceEvent, not a NetTrace stream: it is made from a .nettrace file, which nettrace reads"},
	{"{", "speedscope", "a profile for speedscope, not a NetTrace stream: open it at speedscope.app, and convert the trace that it was made from"},
	{"{", "\"traceevents\"", "a profile in Chromium's format, not a NetTrace stream: open it at ui.perfetto.dev, and convert the trace that it was made from"},
	{"<", "<html", "a web page (HTML), not a NetTrace stream: a download has probably returned an error"},
	{"<", "<!doctype html", "a web page (HTML), not a NetTrace stream: a download has probably returned an error"},
	{"<", "<?xml", "XML, not a NetTrace stream"},
	{"{", "\"", "JSON, not a NetTrace stream"},
}

// GCDump is the text for a heap dump of dotnet-gcdump.
const GCDump = "a heap dump of dotnet-gcdump (.gcdump), not a NetTrace stream: nettrace heap and nettrace view read it"

// foreignText returns what a file is by its first bytes, "" if that is not known.
func foreignText(head []byte) string {
	if bytes.HasPrefix(head, []byte("\x7FELF\x02\x01")) && len(head) > 17 && head[16] == 4 {
		return "a core dump of a process, not a NetTrace stream: dotnet-dump analyze reads it"
	}
	for _, f := range foreigners {
		if len(head) >= f.at && bytes.HasPrefix(head[f.at:], []byte(f.magic)) {
			return f.text
		}
	}
	trimmed := bytes.ToLower(bytes.TrimLeft(head, " \t\r\n"))
	for _, t := range texts {
		if bytes.HasPrefix(trimmed, []byte(t.first)) && bytes.Contains(trimmed, []byte(t.within)) {
			return t.text
		}
	}
	return ""
}

// headSize is the number of bytes by which a foreign file is known.
const headSize = 512

// refuseForeign returns an error for a file of another known type, and otherwise the
// source. It reads more than the first bytes only if the source has no magic number. isGCDump
// reports a .gcdump file, which is an error unless gcdump is true.
func refuseForeign(src io.Reader, gcdump bool) (_ io.Reader, isGCDump bool, _ error) {
	b := bufio.NewReaderSize(src, headSize)
	if head, err := b.Peek(len(magic)); err == nil && string(head) == magic {
		return b, false, nil
	}
	head, _ := b.Peek(headSize) // an error comes again with the next read
	text := foreignText(head)
	isGCDump = text == GCDump
	if text != "" && (!isGCDump || !gcdump) {
		return nil, false, errors.New(text)
	}
	return b, isGCDump, nil
}

// damage returns how a trace was damaged on its way, by its first bytes, or "".
func damage(head []byte) string {
	at := bytes.Index(head, []byte(magic))
	feeds, returns := bytes.Count(head, []byte("\n")), bytes.Count(head, []byte("\r\n"))
	switch {
	case at < 0:
		return ""
	case bytes.Count(head, []byte("\xEF\xBF\xBD")) > 2:
		return "the file was converted as text (bytes that are not UTF-8 were replaced), which cannot be undone: copy it again in binary mode"
	case feeds > 2 && feeds == returns:
		return "the file was converted as text (line ends became CR LF): copy it again in binary mode"
	case at > 0:
		return "other bytes are before the stream: nettrace repair leaves them out"
	}
	return ""
}

// head returns the first bytes of a regular file that is not compressed.
func (in *File) head() []byte {
	if in.At == nil || in.Packed != "" {
		return nil
	}
	head := make([]byte, 4096)
	n, _ := in.At.ReadAt(head, 0)
	return head[:n]
}
