//go:build unix

package tables_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestPermissions: a file has the permissions that the umask allows.
func TestPermissions(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	info, err := os.Stat(filepath.Join(write(t, "net10-empty.v4", ""), "events.parquet"))
	expect.NoError(t, err)
	expect.Equal(t, "permissions", info.Mode().Perm(), 0o600)
}
