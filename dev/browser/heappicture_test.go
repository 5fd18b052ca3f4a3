package browser

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// leak is the picture of a heap dump in the web page of pprof, and its trace.
const (
	leak      = "docs/pictures/leak.webp"
	leakTrace = "docs/traces/leak-2.nettrace.zst"
)

// TestLeakPicture compares the tree that pprof shows with that of the picture. With
// -update it makes the picture.
func TestLeakPicture(t *testing.T) {
	trace := filepath.Join("..", "..", filepath.FromSlash(leakTrace))
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(command(t, "heap", "--format", "folded", trace))))
	if *update {
		profile := filepath.Join(t.TempDir(), "heap.pb.gz")
		expect.NoError(t, os.WriteFile(profile, []byte(command(t, "heap", "--format", "pprof", trace)), 0o666))
		tab, closeTab := chromedp.NewContext(chromium)
		t.Cleanup(closeTab)
		p := &page{ctx: tab}
		p.run(t, chromedp.EmulateViewport(1280, 500), chromedp.Navigate(servePprof(t, profile)+"/ui/flamegraph"), chromedp.WaitVisible("#stack-chart .boxbg", chromedp.ByQuery))
		expect.NoError(t, os.WriteFile(filepath.Join("..", "..", filepath.FromSlash(leak)), p.webp(t), 0o666))
		writeFingerprints(t, map[string]string{leak: sum})
	}
	expect.Equal(t, "SHA-256 of the tree (-update makes the picture)", sum, readFingerprints(t)[leak])
}

// servePprof starts the web page of pprof, and returns its address.
func servePprof(t *testing.T, profile string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "tool", "pprof", "-http", "localhost:", "-no_browser", profile)
	out, err := cmd.StderrPipe()
	expect.NoError(t, err)
	expect.NoError(t, cmd.Start())
	for s := bufio.NewScanner(out); s.Scan(); {
		if _, address, ok := strings.Cut(s.Text(), "web UI on "); ok {
			return address
		}
	}
	t.Fatal("pprof serves no page")
	return ""
}
