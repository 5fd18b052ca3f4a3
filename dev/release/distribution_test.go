package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeTar writes an archive .tar.gz of empty files.
func writeTar(t *testing.T, name string, files []string) {
	t.Helper()
	var data bytes.Buffer
	z := gzip.NewWriter(&data)
	w := tar.NewWriter(z)
	for _, file := range files {
		if err := w.WriteHeader(&tar.Header{Name: file, Mode: 0o644, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, name, data.String())
}

// writeZip writes an archive .zip of empty files.
func writeZip(t *testing.T, name string, files []string) {
	t.Helper()
	var data bytes.Buffer
	w := zip.NewWriter(&data)
	for _, file := range files {
		if _, err := w.Create(file); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, name, data.String())
}

// TestArchives: an archive without a file, or with one outside of its folder, is an error.
func TestArchives(t *testing.T) {
	for _, c := range []struct{ name, leave, add, want string }{
		{name: "complete"},
		{name: "no licence", leave: "LICENSE", want: "has no file LICENSE"},
		{name: "no program", leave: "nettrace", want: "has no file nettrace"},
		{name: "no completion", leave: "completions/nettrace.zsh", want: "has no file completions/nettrace.zsh"},
		{name: "file outside", add: "README.md", want: "the file README.md is not in the folder"},
	} {
		for _, kind := range []struct {
			system, extension, program string
			write                      func(*testing.T, string, []string)
		}{{"linux", ".tar.gz", "nettrace", writeTar}, {"windows", ".zip", "nettrace.exe", writeZip}} {
			t.Run(c.name+kind.extension, func(t *testing.T) {
				folder := "nettrace_0.1.0_" + kind.system + "_amd64"
				var files []string
				for _, file := range append(archived(), "nettrace") {
					if file == c.leave {
						continue
					}
					if file == "nettrace" {
						file = kind.program
					}
					files = append(files, folder+"/"+file)
				}
				if c.add != "" {
					files = append(files, c.add)
				}
				dir := t.TempDir()
				name := folder + kind.extension
				kind.write(t, filepath.Join(dir, name), files)
				var out bytes.Buffer
				d := &distribution{check: &checker{out: &out}, dir: dir}
				d.artifacts = []artifact{{Name: name, Path: name, OS: kind.system, Arch: "amd64", Type: typeArchive}}
				err := d.checkArchives()
				if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("got error %v, want %q in it", err, c.want)
				}
			})
		}
	}
}

// TestSameSums: a build that differs, lacks a platform, or is empty is an error.
func TestSameSums(t *testing.T) {
	linux, darwin := platform{"linux", "amd64"}, platform{"darwin", "arm64"}
	want := map[platform]string{linux: "a", darwin: "b"}
	for _, c := range []struct {
		name      string
		got, want map[platform]string
		fine      bool
	}{
		{"same", map[platform]string{linux: "a", darwin: "b"}, want, true},
		{"other bytes", map[platform]string{linux: "a", darwin: "c"}, want, false},
		{"no platform", map[platform]string{linux: "a"}, want, false},
		{"other platform", map[platform]string{linux: "a", {"linux", "arm64"}: "b"}, want, false},
		{"empty", nil, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			check := &checker{out: new(bytes.Buffer)}
			if err := check.sameSums(c.got, c.want); (err == nil) != c.fine {
				t.Errorf("got error %v, want none: %t", err, c.fine)
			}
		})
	}
}

// TestSums: the sums are those of the programs only.
func TestSums(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "program"), "abc")
	d := &distribution{dir: dir, artifacts: []artifact{
		{Path: "program", OS: "linux", Arch: "amd64", Type: typeBinary}, {Path: "absent", Type: typeArchive},
	}}
	sums, err := d.sums()
	if err != nil {
		t.Fatal(err)
	}
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got := sums[platform{"linux", "amd64"}]; got != want || len(sums) != 1 {
		t.Errorf("got %v, want %s only", sums, want)
	}
}

// TestBelowCodec: packages of other modules, and none, are errors.
func TestBelowCodec(t *testing.T) {
	codec := modulePath("codec")
	for _, c := range []struct {
		name     string
		packages []string
		fine     bool
	}{
		{"codec", []string{codec, codec + "/wire"}, true},
		{"similar name", []string{codec, codec + "2"}, false},
		{"another module", []string{codec, "example.com/a"}, false},
		{"none", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			check := &checker{out: new(bytes.Buffer)}
			if err := check.belowCodec("packages", c.packages); (err == nil) != c.fine {
				t.Errorf("got error %v, want none: %t", err, c.fine)
			}
		})
	}
}

// TestWithoutSnapshot: without what the first check makes, the checks that need it fail.
func TestWithoutSnapshot(t *testing.T) {
	c := &checker{options: &options{all: true}, out: new(bytes.Buffer)}
	checks := map[string]func() error{"second build": c.buildAgain, "program": c.program, "image": c.image}
	if debReason() == "" {
		checks["deb"] = c.installDeb
	}
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			if err := check(); err == nil {
				t.Error("got no error")
			}
		})
	}
}

// TestLeaveOut: a check that cannot run is an error in CI, and prints its reason elsewhere.
func TestLeaveOut(t *testing.T) {
	for _, c := range []struct{ name, ci, output, want string }{
		{"in CI", "true", "", "no dpkg"},
		{"elsewhere", "", "  left out: no dpkg\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("CI", c.ci)
			var out bytes.Buffer
			got := ""
			if err := (&checker{out: &out}).leaveOut("no dpkg"); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got error %q, want %q", got, c.want)
			}
			if out.String() != c.output {
				t.Errorf("got output %q, want %q", out.String(), c.output)
			}
		})
	}
}

// TestPlatforms: a release has six.
func TestPlatforms(t *testing.T) {
	all := platforms()
	if len(all) != 6 || !slices.Contains(all, platform{"windows", "arm64"}) {
		t.Errorf("got %v, want 6 with windows/arm64", all)
	}
}
