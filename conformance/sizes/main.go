// Sizes prints a Markdown table of the traces in corpora: bytes per event in v4
// and v6, uncompressed and compressed with zstd. The README of corpora contains
// it.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/corpora"
)

func main() {
	text, err := table()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
	fmt.Print(text)
}

// table is one row a trace.
func table() (string, error) {
	var b strings.Builder
	b.WriteString("| trace | events | as kept | v4 | v6 | v6, compact | v6 + zstd |\n| --- | --: | --: | --: | --: | --: | --: |\n")
	entries, err := corpora.Entries()
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		data, err := corpora.Open(e.Name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %s | %d | %d", e.Name, e.Events, len(data))
		var v6 []byte
		for _, opt := range []edit.ConvertOptions{
			{Format: wire.V5}, {Format: wire.V6}, {Format: wire.V6, Compact: true},
		} {
			out, err := converted(data, opt)
			if err != nil {
				return "", fmt.Errorf("%s to v%v: %w", e.Name, opt.Format, err)
			}
			if !opt.Format.HasObjects() && !opt.Compact {
				v6 = out
			}
			fmt.Fprintf(&b, " | %d", len(out))
		}
		packed, err := compressed(v6)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, " | %d |\n", packed)
	}
	return b.String(), nil
}

func converted(data []byte, opt edit.ConvertOptions) ([]byte, error) {
	var out bytes.Buffer
	_, err := edit.Convert(context.Background(), &out, codec.NewBytesBlockReader(data, codec.Options{}), opt)
	return out.Bytes(), err
}

// compressed is how many bytes zstd makes of data at its usual level.
func compressed(data []byte) (int, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return 0, err
	}
	defer enc.Close()
	return len(enc.EncodeAll(data, nil)), nil
}
