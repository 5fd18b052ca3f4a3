package shared

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/nettrace-go/nettrace/internal/tier"
)

// Oracle returns the plain bytes of a file of the other reader's answers,
// such as "net10-deep.v4.events.tsv.zst" or "summary.ndjson".
func Oracle(tb testing.TB, file string) []byte {
	tb.Helper()
	return read(tb, filepath.Join(Dir(tb), "oracle", file))
}

// OtherReader returns the absolute path of the program te of the folder "shared",
// which runs another reader and .NET programs. It skips the test where te cannot
// run: te needs Linux on x86-64 and the program zstd. Only make check has the time: .NET
// takes a second to start, and what a process does takes real time.
func OtherReader(tb testing.TB) string {
	tb.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		tb.Skipf("the other reader needs linux/amd64, this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	te, err := filepath.Abs(filepath.Join(Dir(tb), "oracle", "te"))
	if err != nil {
		tb.Fatal(err)
	}
	if _, benchmark := tb.(*testing.B); !benchmark {
		tier.NeedsCheck(tb)
	}
	if out, err := exec.Command(te, "path").CombinedOutput(); err != nil {
		missing(tb, fmt.Sprintf("%s does not run: %v %s", te, err, out))
	}
	return te
}
