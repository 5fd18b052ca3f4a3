package main

import (
	"bytes"
	"fmt"
	"io"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// What is in the configuration of the image.
const (
	program = "/usr/bin/nettrace"
	user    = "65532:65532" // which distributions of images without a shell use for a user without rights
	source  = "https://github.com/nettrace-go/nettrace"
)

// description is what an image has in addition to the programs.
type description struct {
	release
	licence []byte // LICENSE of the repository
	notices []byte // THIRD_PARTY_NOTICES: the licences of what the image contains
}

// labels returns the labels that the OCI image specification defines.
func (d *description) labels() map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":       "nettrace",
		"org.opencontainers.image.description": "Record and read NetTrace files of .NET processes",
		"org.opencontainers.image.url":         source,
		"org.opencontainers.image.source":      source,
		"org.opencontainers.image.licenses":    "MIT",
		"org.opencontainers.image.version":     d.version,
		"org.opencontainers.image.revision":    d.revision,
		"org.opencontainers.image.created":     d.created.Format(time.RFC3339),
	}
}

// index returns the index of an image with one variant for each program.
func (d *description) index(programs []binary) (v1.ImageIndex, error) {
	var variants []mutate.IndexAddendum
	for _, p := range programs {
		image, err := d.image(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.architecture, err)
		}
		platform := v1.Platform{OS: "linux", Architecture: p.architecture}
		variants = append(variants, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &platform}})
	}
	index := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), variants...)
	return mutate.Annotations(index, d.labels()).(v1.ImageIndex), nil
}

// image returns the variant with a program.
func (d *description) image(p binary) (v1.Image, error) {
	files, err := d.files(p)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files)), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.Append(base, mutate.Addendum{
		Layer:     layer,
		MediaType: types.OCILayer,
		History:   v1.History{Author: "nettrace", CreatedBy: "make image", Created: v1.Time{Time: d.created}},
	})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", p.architecture, v1.Time{Time: d.created}
	config.Config = v1.Config{
		User:       user,
		Entrypoint: []string{program},
		Env:        []string{"PATH=/usr/bin"},
		WorkingDir: "/tmp",
		Labels:     d.labels(),
	}
	return mutate.ConfigFile(image, config)
}
