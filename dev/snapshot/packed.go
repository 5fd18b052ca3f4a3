package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/internal/corpora"
)

// packed writes one trace into dir in each way in which it can be compressed,
// and in faulty ones, and returns the paths.
func packed(repository, dir string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(repository, "corpora", "net10-counters.v4.nettrace.zst"))
	if err != nil {
		return nil, err
	}
	plain, err := corpora.Decompress(data)
	if err != nil {
		return nil, err
	}
	files, err := variants(plain)
	if err != nil {
		return nil, err
	}
	var paths []string
	for name, content := range files {
		path := filepath.Join(dir, "packed-"+name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// variants returns the contents of the files by name.
func variants(plain []byte) (map[string][]byte, error) {
	half := len(plain) / 2
	frames, err := eachPacked(zstdPack, plain, plain[:half], plain[half:], nil)
	if err != nil {
		return nil, err
	}
	members, err := eachPacked(gzipPack, plain, plain[:half], plain[half:], nil)
	if err != nil {
		return nil, err
	}
	skip := binary.LittleEndian.AppendUint32([]byte{0x5A, 0x2A, 0x4D, 0x18}, 3)
	skip = append(skip, "abc"...)
	return map[string][]byte{
		"plain.nettrace":           plain,
		"empty.nettrace":           nil,
		"one-byte.nettrace":        plain[:1],
		"three-bytes.nettrace":     plain[:3],
		"text.nettrace":            []byte("This is no trace.\n"),
		"zip.nettrace":             []byte("PK\x03\x04 and more"),
		"zip-empty.nettrace":       append([]byte("PK\x05\x06"), make([]byte, 18)...),
		"truncated.nettrace":       plain[:half],
		"zstd.nettrace.zst":        frames[0],
		"zstd-two.nettrace.zst":    join(frames[1], frames[2]),
		"zstd-empty.nettrace.zst":  frames[3],
		"zstd-skip.nettrace.zst":   join(skip, frames[1], skip, frames[2], skip),
		"zstd-cut.nettrace.zst":    frames[0][:len(frames[0])/2],
		"zstd-head.nettrace.zst":   frames[0][:5],
		"zstd-rest.nettrace.zst":   join(frames[0], []byte("no frame")),
		"zstd-flip.nettrace.zst":   flip(frames[0]),
		"zstd-window.nettrace.zst": {0x28, 0xB5, 0x2F, 0xFD, 0, 19 << 3, 1, 0, 0},
		"zstd-huge.nettrace.zst":   {0x28, 0xB5, 0x2F, 0xFD, 0, 22 << 3, 1, 0, 0},
		"gzip.nettrace.gz":         members[0],
		"gzip-two.nettrace.gz":     join(members[1], members[2]),
		"gzip-empty.nettrace.gz":   members[3],
		"gzip-cut.nettrace.gz":     members[0][:len(members[0])/2],
		"gzip-head.nettrace.gz":    members[0][:5],
		"gzip-rest.nettrace.gz":    join(members[0], []byte("no member")),
		"gzip-flip.nettrace.gz":    flip(members[0]),
	}, nil
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// flip returns a copy with one wrong byte.
func flip(data []byte) []byte {
	data = bytes.Clone(data)
	data[len(data)*2/3] ^= 0x55
	return data
}

func eachPacked(pack func([]byte) ([]byte, error), parts ...[]byte) ([][]byte, error) {
	var all [][]byte
	for _, part := range parts {
		data, err := pack(part)
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func zstdPack(plain []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

func gzipPack(plain []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	err := w.Close()
	return out.Bytes(), err
}
