package tracebeam_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	tracebeam "github.com/nettrace-go/nettrace/integrations/beam"
	"github.com/nettrace-go/nettrace/summary"
)

func init() {
	register.DoFn1x1[[]byte, error](&keepFn{})
	register.DoFn1x1[tracebeam.DeadLetter, error](&countFn{})
}

func TestMain(m *testing.M) {
	beam.Init()
	os.Exit(m.Run())
}

// keepFn stores the result of a pipeline that runs in this process.
type keepFn struct{ Name string }

// ProcessElement writes the file.
func (f *keepFn) ProcessElement(data []byte) error { return os.WriteFile(f.Name, data, 0o600) }

// countFn makes a file for each file with dead letters, with their errors.
type countFn struct{ Folder string }

// ProcessElement adds an error to the file.
func (f *countFn) ProcessElement(d tracebeam.DeadLetter) error {
	out, err := os.OpenFile(filepath.Join(f.Folder, filepath.Base(d.File)+".dead"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	_, err = fmt.Fprintln(out, d.Error)
	return err
}

// TestSummarize runs the pipeline in this process over copies of small traces and one file
// that is no trace: the bytes are those of one Builder, and the file is one dead letter.
func TestSummarize(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for _, pattern := range []string{"net10-*.nettrace.zst", "onecollect-small*.nettrace.zst"} {
		found, err := filepath.Glob(filepath.Join("../../corpora", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			if info, err := os.Stat(name); err != nil || info.Size() > 20_000 {
				continue
			}
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 5 {
				trace := filepath.Join(dir, fmt.Sprint(i, "-", filepath.Base(name)))
				if err := os.WriteFile(trace, data, 0o600); err != nil {
					t.Fatal(err)
				}
				names = append(names, trace)
			}
		}
	}
	broken := filepath.Join(dir, "broken.nettrace")
	if err := os.WriteFile(broken, []byte("<html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	names = append(names, broken)
	if len(names) < 20 {
		t.Fatalf("%d files, want at least 20", len(names))
	}

	out, letters := filepath.Join(dir, "out.nts"), t.TempDir()
	p, s := beam.NewPipelineWithRoot()
	sums, dead := tracebeam.Summarize(s, beam.CreateList(s, names))
	beam.ParDo0(s, &keepFn{Name: out}, sums)
	beam.ParDo0(s, &countFn{Folder: letters}, dead)
	if _, err := prism.Execute(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if want := serial(t, names); string(got) != string(want) {
		t.Errorf("the summary has %d bytes, want the %d of one Builder", len(got), len(want))
	}
	found, err := filepath.Glob(filepath.Join(letters, "*.dead"))
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(letters, "broken.nettrace.dead"); !slices.Equal(found, []string{want}) {
		t.Errorf("dead letters: got %q, want %q", found, want)
	}
}

// serial returns the encoded Summary of one Builder.
func serial(t *testing.T, names []string) []byte {
	t.Helper()
	b := summary.NewBuilder(summary.Options{Reader: codec.Options{OnError: codec.Skip, Schemas: clr.Schemas}})
	for _, name := range names {
		_ = b.AddTrace(t.Context(), tracebeam.File(t.Context(), name)) // the summary lists failures
	}
	data, err := b.Summary().Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}
