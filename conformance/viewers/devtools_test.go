//go:build check || nightly

package viewers

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/machine"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// class has the totals of a class of objects.
type class struct{ objects, shallow, retained int64 }

// TestDevTools compares the totals of each type of a heap dump with those that the heap
// snapshot worker of Chrome DevTools computes from the dump's heap snapshot.
func TestDevTools(t *testing.T) {
	browser := machine.Program(t, "chromium")
	if out, err := exec.Command("node", "--experimental-websocket", "-e", "WebSocket.name").CombinedOutput(); err != nil {
		machine.Lacks(t, "node", fmt.Sprintf("no node with WebSocket: %v %s", err, out))
	}
	nettrace := program(t)
	base := devTools(t, browser)
	for name, data := range map[string][]byte{
		"net10-mix-gcheap": shared.Trace(t, "net10-mix-gcheap.v4"),
		"heap-leak-1":      shared.TruthFile(t, "heap-leak-dump1.v4.nettrace.zst"),
		"heap-leak-2":      shared.TruthFile(t, "heap-leak-dump2.v4.nettrace.zst"),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			dump, snapshot := filepath.Join(dir, "dump.nettrace"), filepath.Join(dir, "dump.heapsnapshot")
			expect.NoError(t, os.WriteFile(dump, data, 0o600))
			output(t, nettrace, "convert", dump, "-o", snapshot)
			want := theirs(t, output(t, "node", "--experimental-websocket", "testdata/devtools.mjs", base, snapshot))
			got := ours(t, output(t, nettrace, "heap", "--json", "--limit", "0", "--raw-names", dump))
			expect.AtLeast(t, "types", len(got), 100)
			expect.Equal(t, "number of types", len(got), len(want))
			for name, totals := range want {
				expect.Equal(t, name, got[name], totals)
			}
		})
	}
}

// output returns the standard output of a command.
func output(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		text := ""
		if failed := new(exec.ExitError); errors.As(err, &failed) {
			text = string(failed.Stderr)
		}
		t.Fatalf("%s %q: %v\n%s", name, args, err, text)
	}
	return out
}

// theirs parses the output of devtools.mjs.
func theirs(t *testing.T, out []byte) map[string]class {
	var rows [][4]any
	expect.NoError(t, json.Unmarshal(out, &rows))
	classes := map[string]class{}
	for _, row := range rows {
		name, _ := row[0].(string)
		var numbers [3]int64
		for i := range numbers {
			n, _ := row[i+1].(float64)
			numbers[i] = int64(n)
		}
		classes[name] = class{numbers[0], numbers[1], numbers[2]}
	}
	return classes
}

// ours parses the output of nettrace heap.
func ours(t *testing.T, out []byte) map[string]class {
	var doc struct {
		Types []struct {
			Type                                 string
			Objects, ShallowBytes, RetainedBytes int64
		}
	}
	expect.NoError(t, json.Unmarshal(out, &doc))
	classes := map[string]class{}
	for _, x := range doc.Types {
		classes[x.Type] = class{x.Objects, x.ShallowBytes, x.RetainedBytes}
	}
	return classes
}

// devTools starts a browser that serves DevTools, and returns its address.
func devTools(t *testing.T, browser string) string {
	t.Helper()
	profile, err := os.MkdirTemp("", "devtools")
	expect.NoError(t, err)
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+profile,
		"--remote-debugging-port=0", "--remote-allow-origins=*", "about:blank")
	stderr, err := cmd.StderrPipe()
	expect.NoError(t, err)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = os.RemoveAll(profile) // a process of the browser may still write
	})
	address := regexp.MustCompile(`DevTools listening on ws://([^/]+)/`)
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if found := address.FindStringSubmatch(lines.Text()); found != nil {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return "http://" + found[1]
		}
	}
	t.Fatal("the browser did not print the address of DevTools")
	return ""
}
