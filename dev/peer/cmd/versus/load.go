package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/internal/workload"
)

// load returns the traces in the files that match glob, or those of version 4 in
// corpora.
func load(glob string) ([]workload.Trace, error) {
	if glob == "" {
		return loadCorpora()
	}
	var traces []workload.Trace
	paths, err := filepath.Glob(glob)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		data, err := read(path)
		if err != nil {
			return nil, err
		}
		traces = append(traces, workload.NewTrace(filepath.Base(path), data))
	}
	if traces == nil {
		return nil, fmt.Errorf("no file matches %s", glob)
	}
	return traces, nil
}

func loadCorpora() ([]workload.Trace, error) {
	entries, err := corpora.Entries()
	if err != nil {
		return nil, err
	}
	var traces []workload.Trace
	for _, e := range entries {
		if e.Format != "v4" {
			continue
		}
		t, err := workload.Open(e.Name)
		if err != nil {
			return nil, err
		}
		traces = append(traces, t)
	}
	return traces, nil
}

func read(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil || !strings.HasSuffix(path, ".zst") {
		return data, err
	}
	dec, err := zstd.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer dec.Close()
	var plain bytes.Buffer
	if _, err := plain.ReadFrom(dec); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return plain.Bytes(), nil
}
