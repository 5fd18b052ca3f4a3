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

// Keep writes an archive of plain bytes, and the row of MANIFEST, into the
// folder dir, in place of those of the same name. Of e it uses all but what the
// bytes tell: SHA256 and Size. A binary that was built before does not see it.
func Keep(dir string, e Entry, plain []byte) error {
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
