package main

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestProgramRuns makes an image of a small program, unpacks it and runs the program in
// the folder as its root, which has no C library.
func TestProgramRuns(t *testing.T) {
	needsRoot(t)
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", dir+"/hello", "./testdata/hello.go")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-buildvcs=false -trimpath") // -trimpath: as all parts of CI build
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	programs, err := readPrograms([]string{runtime.GOARCH + "=" + dir + "/hello"})
	expect.NoError(t, err)
	_, err = describe(programs)
	if err == nil {
		t.Fatal("got no error for a program without a commit")
	}
	expect.Contains(t, "error for a program without a commit", err.Error(), "-buildvcs=true")
	path := filepath.Join(dir, "image.tar")
	expect.NoError(t, described.write(programs, path))
	got := runIn(t, unpack(t, variant(t, openArchive(t, path))))
	expect.Equal(t, "output", got, "user 65532, group 65532, certificates found, file written\n")
}

// TestArchive checks the archive that "make image" writes: both variants are complete,
// and the program of the variant for this machine prints its version in the unpacked
// folder.
func TestArchive(t *testing.T) {
	path := os.Getenv("NETTRACE_IMAGE")
	if path == "" {
		t.Skip("no archive: make image-check sets NETTRACE_IMAGE")
	}
	index := openArchive(t, path)
	manifest, err := index.IndexManifest()
	expect.NoError(t, err)
	expect.Len(t, "variants", manifest.Manifests, len(strings.Fields(os.Getenv("NETTRACE_IMAGE_FOR"))))
	for _, m := range manifest.Manifests {
		t.Run(m.Platform.String(), func(t *testing.T) {
			image, err := index.Image(m.Digest)
			expect.NoError(t, err)
			config, err := image.ConfigFile()
			expect.NoError(t, err)
			checkConfig(t, config)
			checkFiles(t, image)
			content, err := os.ReadFile(unpack(t, image) + program)
			expect.NoError(t, err)
			b := binary{config.Architecture, content}
			expect.NoError(t, b.check())
			d, err := b.describe()
			expect.NoError(t, err)
			expect.Equal(t, "revision in the label", config.Config.Labels["org.opencontainers.image.revision"], d.revision)
			expect.Equal(t, "created", config.Created.Time, d.created)
		})
	}
	t.Run("chroot", func(t *testing.T) {
		needsRoot(t)
		image := variant(t, index)
		config, err := image.ConfigFile()
		expect.NoError(t, err)
		got := runIn(t, unpack(t, image), "version")
		expect.Contains(t, "output of nettrace version", got, "nettrace ", config.Config.Labels["org.opencontainers.image.version"])
	})
}

// needsRoot skips the test where chroot cannot run. In CI on Linux it has to run.
func needsRoot(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("not run: chroot needs Linux")
	}
	if os.Getuid() == 0 || exec.Command("sudo", "-n", "true").Run() == nil {
		return
	}
	const reason = "not run: chroot needs root, or sudo without a password"
	if os.Getenv("CI") != "" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// runIn runs the program with a folder as its root and as the user of the image, and
// returns what it prints.
func runIn(t *testing.T, root string, args ...string) string {
	t.Helper()
	args = append([]string{"chroot", "--groups=", "--userspec=" + user, root, program}, args...)
	if os.Getuid() != 0 {
		args = append([]string{"sudo", "-n"}, args...)
	}
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s in the unpacked image: %v\n%s", program, err, out)
	}
	return string(out)
}

// openArchive unpacks an archive and returns its only index.
func openArchive(t *testing.T, path string) v1.ImageIndex {
	t.Helper()
	archive, err := os.Open(path)
	expect.NoError(t, err)
	defer archive.Close()
	dir := t.TempDir()
	untar(t, archive, dir)
	outer, err := layout.ImageIndexFromPath(dir)
	expect.NoError(t, err)
	manifest, err := outer.IndexManifest()
	expect.NoError(t, err)
	expect.Len(t, "indexes in the layout", manifest.Manifests, 1)
	index, err := outer.ImageIndex(manifest.Manifests[0].Digest)
	expect.NoError(t, err)
	return index
}

// variant returns the image for this machine.
func variant(t *testing.T, index v1.ImageIndex) v1.Image {
	t.Helper()
	manifest, err := index.IndexManifest()
	expect.NoError(t, err)
	for _, m := range manifest.Manifests {
		if m.Platform.Architecture == runtime.GOARCH {
			image, err := index.Image(m.Digest)
			expect.NoError(t, err)
			return image
		}
	}
	t.Fatalf("the image has no variant for %s", runtime.GOARCH)
	return nil
}

// unpack writes the files of an image into a folder, with their modes.
func unpack(t *testing.T, image v1.Image) string {
	t.Helper()
	dir := t.TempDir()
	expect.NoError(t, os.Chmod(dir, 0o755))
	files := mutate.Extract(image)
	defer files.Close()
	untar(t, files, dir)
	return dir
}

func untar(t *testing.T, archive io.Reader, dir string) {
	t.Helper()
	for r := tar.NewReader(archive); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		expect.NoError(t, err)
		path := filepath.Join(dir, header.Name)
		if header.Typeflag == tar.TypeDir {
			expect.NoError(t, os.MkdirAll(path, 0o755))
		} else {
			content, err := io.ReadAll(r)
			expect.NoError(t, err)
			expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			expect.NoError(t, os.WriteFile(path, content, 0o755))
		}
		expect.NoError(t, os.Chmod(path, header.FileInfo().Mode()))
	}
}

// checkFiles compares the names and modes of an image's files, parses the certificates,
// and looks for their licence.
func checkFiles(t *testing.T, image v1.Image) {
	t.Helper()
	files := mutate.Extract(image)
	defer files.Close()
	config, err := image.ConfigFile()
	expect.NoError(t, err)
	var got []string
	for r := tar.NewReader(files); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		expect.NoError(t, err)
		expect.Equal(t, "user of "+header.Name, header.Uid, 0)
		expect.Equal(t, "time of "+header.Name, header.ModTime.UTC(), config.Created.Time)
		got = append(got, header.FileInfo().Mode().String()+" "+filepath.Clean(header.Name))
		text, err := io.ReadAll(r)
		expect.NoError(t, err)
		switch filepath.Base(header.Name) {
		case "ca-certificates.crt":
			checkCertificates(t, text)
		case "copyright":
			expect.Contains(t, header.Name, string(text), "MIT License")
		case "THIRD_PARTY_NOTICES":
			expect.Contains(t, header.Name, string(text), "CA certificates of Mozilla", "Mozilla Public License Version 2.0")
		}
	}
	expect.Slices(t, "files", got, []string{
		"drwxr-xr-x etc", "drwxr-xr-x etc/ssl", "drwxr-xr-x etc/ssl/certs", "dtrwxrwxrwx tmp", "drwxr-xr-x usr", "drwxr-xr-x usr/bin",
		"drwxr-xr-x usr/share", "drwxr-xr-x usr/share/doc", "drwxr-xr-x usr/share/doc/nettrace",
		"-rw-r--r-- etc/ssl/certs/ca-certificates.crt", "-rwxr-xr-x usr/bin/nettrace",
		"-rw-r--r-- usr/share/doc/nettrace/copyright", "-rw-r--r-- usr/share/doc/nettrace/THIRD_PARTY_NOTICES",
	})
}

// checkCertificates demands that Go can parse every certificate.
func checkCertificates(t *testing.T, text []byte) {
	t.Helper()
	const least = 100 // Mozilla trusts about 140
	count := bytes.Count(text, []byte("BEGIN CERTIFICATE"))
	expect.AtLeast(t, "certificates", count, least)
	pool := x509.NewCertPool()
	expect.Equal(t, "certificates can be parsed", pool.AppendCertsFromPEM(text), true)
}
