package timens

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestOf: the file of a process has the offsets of its children's namespace, which is its own
// unless it made another one. A system without the file has no time namespaces.
func TestOf(t *testing.T) {
	const shifted = "monotonic          -5         7\nboottime       100000 500000000\n"
	want := Offsets{Monotonic: -5*time.Second + 7, Boottime: 100_000*time.Second + 500*time.Millisecond}
	for _, c := range []struct {
		name, text    string // text "": there is no file
		own, children string // targets of the links; "" for none
		want          Offsets
		fails         bool
	}{
		{name: "no time namespaces"},
		{name: "in one", text: shifted, own: "time:[2]", children: "time:[2]", want: want},
		{name: "links are hidden", text: shifted, want: want},
		{name: "numbers of clocks", text: "1 -5 7\n7 100000 500000000\n", want: want},
		{name: "another one for children", text: shifted, own: "time:[1]", children: "time:[2]", fails: true},
		{name: "malformed", text: "monotonic soon\n", fails: true},
	} {
		dir := t.TempDir()
		expect.NoError(t, os.Mkdir(filepath.Join(dir, "ns"), 0o700))
		if c.text != "" {
			expect.NoError(t, os.WriteFile(filepath.Join(dir, "timens_offsets"), []byte(c.text), 0o600))
		}
		for name, target := range map[string]string{"time": c.own, "time_for_children": c.children} {
			if target != "" {
				expect.NoError(t, os.Symlink(target, filepath.Join(dir, "ns", name)))
			}
		}
		got, err := Of(dir)
		expect.Equal(t, c.name+": fails", err != nil, c.fails)
		expect.Equal(t, c.name, got, c.want)
	}
}
