// Package archive packs files into one tar archive that is compressed with zstd,
// and unpacks them. It keeps data small that is embedded in a program or stored
// for tests.
package archive

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// mode is the permission of each file in an archive.
const mode = 0o644

// Pack returns an archive of files, which are given by name. The files are in the
// order of their names and have no time: equal files make equal archives, as long as
// the version of the compressor is the same.
func Pack(files map[string][]byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	t := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err := t.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(files[name])), Format: tar.FormatUSTAR})
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", name, err)
		}
		if _, err := t.Write(files[name]); err != nil {
			return nil, fmt.Errorf("pack %s: %w", name, err)
		}
	}
	if err := errors.Join(t.Close(), z.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Unpack returns the files of an archive by name.
func Unpack(packed []byte) (map[string][]byte, error) {
	z, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return Files(z)
}

// Files returns the files of an uncompressed tar archive by name.
func Files(plain io.Reader) (map[string][]byte, error) {
	files := map[string][]byte{}
	for t := tar.NewReader(plain); ; {
		header, err := t.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("unpack: %w", err)
		}
		if files[header.Name], err = io.ReadAll(t); err != nil {
			return nil, fmt.Errorf("unpack %s: %w", header.Name, err)
		}
	}
}
