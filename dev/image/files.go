package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// files returns the tar archive of the image's only layer.
func (d *description) files(p binary) ([]byte, error) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, header := range []tar.Header{
		{Name: "etc/", Mode: 0o755},
		{Name: "etc/ssl/", Mode: 0o755},
		{Name: "etc/ssl/certs/", Mode: 0o755},
		{Name: "tmp/", Mode: 0o1777},
		{Name: "usr/", Mode: 0o755},
		{Name: "usr/bin/", Mode: 0o755},
		{Name: "usr/share/", Mode: 0o755},
		{Name: "usr/share/doc/", Mode: 0o755},
		{Name: "usr/share/doc/nettrace/", Mode: 0o755},
	} {
		header.Typeflag, header.ModTime = tar.TypeDir, d.created
		if err := w.WriteHeader(&header); err != nil {
			return nil, err
		}
	}
	for _, file := range []struct {
		name    string
		mode    int64
		content []byte
	}{
		{"etc/ssl/certs/ca-certificates.crt", 0o644, certificates()},
		{program[1:], 0o755, p.content},
		{"usr/share/doc/nettrace/copyright", 0o644, d.licence},
		{"usr/share/doc/nettrace/THIRD_PARTY_NOTICES", 0o644, d.notices},
	} {
		header := tar.Header{Typeflag: tar.TypeReg, Name: file.name, Mode: file.mode, Size: int64(len(file.content)), ModTime: d.created}
		if err := w.WriteHeader(&header); err != nil {
			return nil, err
		}
		if _, err := w.Write(file.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return archive.Bytes(), err
}

// certificates returns the root certificates in PEM.
func certificates() []byte {
	var text []byte
	for root := range bundle.Roots() {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})...)
	}
	return text
}
