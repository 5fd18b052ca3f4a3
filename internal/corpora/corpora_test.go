package corpora

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

func TestEntries(t *testing.T) {
	entries, err := Entries()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == "net10-netperf.v3" })
	if i < 0 {
		t.Fatalf("no net10-netperf.v3 in %d entries", len(entries))
	}
	e := entries[i]
	expect.Equal(t, "e.File()", e.File(), "net10-netperf.v3.netperf.zst")
	expect.Equal(t, "e.Size", e.Size, 197202)
	expect.Equal(t, "e.Events", e.Events, 1573)
	expect.Equal(t, "e.Recorded()", e.Recorded(), true)
}

func TestOpen(t *testing.T) {
	plain, err := Open("gen-idle.v6")
	if err != nil || len(plain) != 208534 {
		t.Errorf("%d bytes, %v", len(plain), err)
	}
	if _, err := Open("no-such-trace"); err == nil {
		t.Error("no error for a trace that does not exist")
	}
}

// TestOutside checks the error outside of the repository.
func TestOutside(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := Entries(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}

// TestRoot finds the root from within a nested module.
func TestRoot(t *testing.T) {
	root := t.TempDir()
	nested := filepath.Join(root, "bench", "gate")
	if err := os.MkdirAll(nested, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "go.mod"), "module "+module+"\n")
	write(t, filepath.Join(nested, "go.mod"), "module "+module+"/bench/gate\n")
	t.Chdir(nested)
	if got, err := Root(); err != nil || !same(t, got, root) {
		t.Errorf("got %q, %v, want %q", got, err, root)
	}
}

func TestKeep(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "MANIFEST"), "# head\nb.v4\told\t1\tv4\t1\tx\tMIT\nc.v4\ts\t1\tv4\t1\tx\tMIT\n")
	for _, e := range []Entry{
		{Name: "b.v4", Format: "v4", Events: 7, Origin: "new", Licence: "MIT"},
		{Name: "a.v6", Format: "v6", Events: 8, Origin: "new", Licence: "MIT"},
	} {
		if err := keep(dir, e, []byte("abc")); err != nil {
			t.Fatal(err)
		}
	}
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	want := "# head\na.v6\t" + sum + "\t3\tv6\t8\tnew\tMIT\nb.v4\t" + sum + "\t3\tv4\t7\tnew\tMIT\nc.v4\ts\t1\tv4\t1\tx\tMIT\n"
	if got, err := os.ReadFile(filepath.Join(dir, "MANIFEST")); string(got) != want || err != nil {
		t.Errorf("MANIFEST is\n%s, want\n%s, %v", got, want, err)
	}
	packed, err := os.ReadFile(filepath.Join(dir, "b.v4.nettrace.zst"))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := Decompress(packed); string(plain) != "abc" || err != nil {
		t.Errorf("the archive has %q, %v", plain, err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// same reports whether two paths name one folder, as temporary folders may be
// reached through a symbolic link.
func same(t *testing.T, a, b string) bool {
	t.Helper()
	infoA, err := os.Stat(a)
	if err != nil {
		t.Fatal(err)
	}
	infoB, err := os.Stat(b)
	if err != nil {
		t.Fatal(err)
	}
	return os.SameFile(infoA, infoB)
}
