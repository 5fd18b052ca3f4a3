package corpora

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Keep writes an archive of plain bytes and its row of MANIFEST, and replaces
// those of the same name. It computes SHA256 and Size itself.
func Keep(e Entry, plain []byte) error {
	dir, err := Dir()
	if err != nil {
		return err
	}
	return keep(dir, e, plain)
}

func keep(dir string, e Entry, plain []byte) error {
	sum := sha256.Sum256(plain)
	e.SHA256, e.Size = hex.EncodeToString(sum[:]), len(plain)
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, e.File()), enc.EncodeAll(plain, nil), 0o644); err != nil {
		return err
	}
	manifest := filepath.Join(dir, "MANIFEST")
	text, err := os.ReadFile(manifest)
	if err != nil {
		return err
	}
	head, rows, _ := strings.Cut(string(text), "\n")
	lines := slices.DeleteFunc(strings.Split(strings.TrimSuffix(rows, "\n"), "\n"), func(line string) bool {
		return strings.HasPrefix(line, e.Name+"\t")
	})
	lines = append(lines, fmt.Sprintf("%s\t%s\t%d\t%s\t%d\t%s\t%s", e.Name, e.SHA256, e.Size, e.Format, e.Events, e.Origin, e.Licence))
	slices.Sort(lines)
	return os.WriteFile(manifest, []byte(head+"\n"+strings.Join(lines, "\n")+"\n"), 0o644)
}
