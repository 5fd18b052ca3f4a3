package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"debug/elf"
	encoding "encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// described has the labels of the images in these tests.
var described = description{
	release: release{version: "v1.2.3", revision: "0123abcd", created: time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)},
	licence: []byte("MIT License\n"),
	notices: []byte("CA certificates of Mozilla\nMozilla Public License Version 2.0\n"),
}

// TestImage makes an image of two programs and reads it.
func TestImage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "image.tar")
	expect.NoError(t, described.write(fakePrograms(), path))
	index := openArchive(t, path)
	expect.NoError(t, validate.Index(index))
	manifest, err := index.IndexManifest()
	expect.NoError(t, err)
	expect.Equal(t, "annotation version of the index", manifest.Annotations["org.opencontainers.image.version"], "v1.2.3")
	var platforms []string
	for _, m := range manifest.Manifests {
		platforms = append(platforms, m.Platform.String())
		t.Run(m.Platform.String(), func(t *testing.T) {
			image, err := index.Image(m.Digest)
			expect.NoError(t, err)
			config, err := image.ConfigFile()
			expect.NoError(t, err)
			checkConfig(t, config)
			expect.Equal(t, "platform of the configuration", config.Platform().String(), m.Platform.String())
			expect.Equal(t, "label version", config.Config.Labels["org.opencontainers.image.version"], "v1.2.3")
			expect.Equal(t, "label revision", config.Config.Labels["org.opencontainers.image.revision"], "0123abcd")
			expect.Equal(t, "label created", config.Config.Labels["org.opencontainers.image.created"], "2026-11-23T10:00:00Z")
			checkFiles(t, image)
		})
	}
	expect.Slices(t, "platforms", platforms, []string{"linux/amd64", "linux/arm64"})
}

// TestReproducible makes an image twice, in different folders.
func TestReproducible(t *testing.T) {
	var sums [][sha256.Size]byte
	for range 2 {
		t.Setenv("TMPDIR", t.TempDir())
		path := filepath.Join(t.TempDir(), "image.tar")
		expect.NoError(t, described.write(fakePrograms(), path))
		archive, err := os.ReadFile(path)
		expect.NoError(t, err)
		sums = append(sums, sha256.Sum256(archive))
		for r := tar.NewReader(bytes.NewReader(archive)); ; {
			header, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			expect.NoError(t, err)
			expect.Equal(t, "time of "+header.Name, header.ModTime.UTC(), described.created)
		}
	}
	expect.Equal(t, "hash of the second archive", sums[1], sums[0])
}

// TestRefused tries programs that cannot run in the image, and wrong arguments.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		expect.NoError(t, os.WriteFile(path, content, 0o755))
		return path
	}
	static := write("static", fakeProgram(elf.EM_X86_64, false))
	dynamic := write("dynamic", fakeProgram(elf.EM_X86_64, true))
	script := write("script", []byte("#!/bin/sh\n"))
	output := filepath.Join(dir, "image.tar")
	for _, c := range []struct {
		name     string
		output   string
		programs []string
		want     string
	}{
		{"dynamic program", output, []string{"amd64=" + dynamic}, "the program needs a dynamic linker"},
		{"program for another architecture", output, []string{"arm64=" + static}, "the program is for EM_X86_64, not for EM_AARCH64"},
		{"no ELF file", output, []string{"amd64=" + script}, "not a program for Linux"},
		{"no program of Go", output, []string{"amd64=" + static}, "amd64: not a Go executable"},
		{"unknown architecture", output, []string{"m68k=" + static}, "unknown architecture"},
		{"no architecture", output, []string{static}, "the form is ARCHITECTURE=PROGRAM"},
		{"missing program", output, []string{"amd64=" + dir + "/missing"}, "no such file"},
		{"no program", output, nil, "no program"},
		{"no file", "", []string{"amd64=" + static}, "no file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := run(c.output, "../..", c.programs)
			if err == nil {
				t.Fatalf("got no error, want %q", c.want)
			}
			expect.Contains(t, "error", err.Error(), c.want)
			_, missing := os.Stat(output)
			expect.ErrorIs(t, missing, os.ErrNotExist)
		})
	}
}

// fakePrograms returns a file for each platform that has the headers of a program only.
func fakePrograms() []binary {
	return []binary{{"amd64", fakeProgram(elf.EM_X86_64, false)}, {"arm64", fakeProgram(elf.EM_AARCH64, false)}}
}

// fakeProgram returns the headers of an ELF file, with or without a dynamic linker.
func fakeProgram(machine elf.Machine, dynamic bool) []byte {
	const header, entry = 64, 56 // sizes in bytes
	h := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: 1, Phoff: header, Ehsize: header, Phentsize: entry, Phnum: 1}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1
	part := elf.Prog64{Type: uint32(elf.PT_LOAD)}
	if dynamic {
		part.Type = uint32(elf.PT_INTERP)
	}
	b, _ := encoding.Append(nil, encoding.LittleEndian, h)
	b, _ = encoding.Append(b, encoding.LittleEndian, part)
	return b
}

// checkConfig compares what does not depend on the program.
func checkConfig(t *testing.T, config *v1.ConfigFile) {
	t.Helper()
	expect.Equal(t, "user", config.Config.User, "65532:65532")
	expect.Slices(t, "entry point", config.Config.Entrypoint, []string{"/usr/bin/nettrace"})
	expect.Slices(t, "environment", config.Config.Env, []string{"PATH=/usr/bin"})
	expect.Equal(t, "working folder", config.Config.WorkingDir, "/tmp")
	expect.Equal(t, "label licenses", config.Config.Labels["org.opencontainers.image.licenses"], "MIT")
	expect.Equal(t, "label source", config.Config.Labels["org.opencontainers.image.source"], source)
}
