package eventpipe

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// TestWhyHidden: of a process whose environment the user may not read, the reason
// depends on whether it is known to be a .NET process.
func TestWhyHidden(t *testing.T) {
	hidden := &fs.PathError{Op: "open", Path: "/proc/1/environ", Err: fs.ErrPermission}
	for _, c := range []struct {
		name  string
		uid   int
		known bool
		want  Reason
	}{
		{"of this user, not known", os.Getuid(), false, Unreadable},
		{"of this user, a .NET process", os.Getuid(), true, OtherTMPDIR},
		{"of another user, not known", os.Getuid() + 1, false, PermissionDenied},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := &proc{dir: t.TempDir(), nspid: 1, uid: c.uid, keys: []string{"25"}, hidden: hidden, root: "/"}
			if got := x.why(1, fs.ErrNotExist, c.known).Reason; got != c.want {
				t.Errorf("reason %q, want %q", got, c.want)
			}
		})
	}
}

// TestHintsForRoot: a hint for root that says to run as root also names the
// capability that root may lack.
func TestHintsForRoot(t *testing.T) {
	for _, r := range []Reason{OtherTMPDIR, Unreadable, OtherNamespace} {
		t.Run(fmt.Sprint(r), func(t *testing.T) {
			if hint := r.Hint(); !strings.Contains(hint, "CAP_SYS_PTRACE") {
				t.Errorf("hint %q does not name the capability", hint)
			}
		})
	}
}
