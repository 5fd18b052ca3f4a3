//go:build unix

package attach

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestPortAccess: the socket of --port has the mode and group of the flags; the line about a
// port without a process says the mode.
func TestPortAccess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	l, err := net.Listen("unix", path)
	expect.NoError(t, err)
	defer l.Close()
	p := portAccess{mode: "0660", group: strconv.Itoa(os.Getgid())}
	expect.NoError(t, p.apply(path))
	info, err := os.Stat(path)
	expect.NoError(t, err)
	expect.Equal(t, "mode", info.Mode().Perm(), os.FileMode(0o660))
	expect.Contains(t, "line", p.lonelyText(path), path, "0660", "--port-mode")
	for _, wrong := range []portAccess{{mode: "9"}, {mode: "10000"}, {group: "no such group"}} {
		if wrong.apply(path) == nil {
			t.Errorf("%+v: no error", wrong)
		}
	}
}
