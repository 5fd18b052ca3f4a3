package nettrace_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/profile"
)

// TestErrorTexts checks the form of the errors that the entry points of public packages
// return: the name of the package first, in lower case, without a full stop, and with the
// name of the package once.
func TestErrorTexts(t *testing.T) {
	ctx := context.Background()
	nettraceV6 := generated(t, wire.V6)
	reader := func(data []byte) *codec.Reader { return codec.NewBytesReader(data, codec.Options{}) }
	blocks := func(data []byte) *codec.BlockReader { return codec.NewBytesBlockReader(data, codec.Options{}) }
	source := func(data []byte) *edit.MergeSource {
		return edit.NewMergeSource(bytes.NewReader(data), edit.MergeSourceOptions{Name: "a"})
	}
	twice := source(nettraceV6)
	for name, c := range map[string]struct {
		prefix string
		call   func() error
	}{
		"codec.NewReader, not NetTrace": {"codec", func() error { return readAll(reader([]byte("no trace, but text"))) }},
		"codec.NewReader, truncated":    {"codec", func() error { return readAll(reader(nettraceV6[:len(nettraceV6)/2])) }},
		"codec.NewWriter, format": {"codec", func() error {
			return codec.NewWriter(io.Discard, codec.WriterOptions{Trace: codec.Trace{Format: wire.V3}}).Err()
		}},
		"nettrace.NewSource, damaged": {"nettrace", func() error {
			s, err := nettrace.NewSource(bytes.NewReader([]byte{0x1f, 0x8b, 8, 0, 0}), nettrace.SourceOptions{})
			if err == nil {
				_, err = io.ReadAll(s)
			}
			return err
		}},
		"edit.Convert, format": {"edit", func() error {
			_, err := edit.Convert(ctx, io.Discard, blocks(nettraceV6), edit.ConvertOptions{Format: wire.V3})
			return err
		}},
		"edit.Convert, NoTags": {"edit", func() error {
			_, err := edit.Convert(ctx, io.Discard, blocks(nettraceV6), edit.ConvertOptions{NoTags: true})
			return err
		}},
		"edit.Merge, no source":    {"edit", func() error { return mergeError(nil) }},
		"edit.Merge, source twice": {"edit", func() error { return mergeError([]*edit.MergeSource{twice, twice}) }},
		"edit.Merge, malformed":    {"edit", func() error { return mergeError([]*edit.MergeSource{source([]byte("text"))}) }},
		"edit.Diff, Reader twice":  {"edit", func() error { r := reader(nettraceV6); _, err := edit.Diff(ctx, r, r, edit.DiffOptions{}); return err }},
		"edit.Slice, no event": {"edit", func() error {
			return sliceError(blocks(nettraceV6), edit.SliceOptions{Keep: func(*codec.Event) bool { return false }})
		}},
		"edit.Slice, lower version":  {"codec", func() error { return sliceError(blocks(nettraceV6), edit.SliceOptions{Format: wire.V4}) }},
		"eventpipe.ParsePort, empty": {"eventpipe", func() error { _, err := eventpipe.ParsePort(",listen"); return err }},
		"eventpipe.ParsePort, mode":  {"eventpipe", func() error { _, err := eventpipe.ParsePort("a,b"); return err }},
		"eventpipe.Client, no port": {"eventpipe", func() error {
			_, err := eventpipe.NewClient(t.TempDir() + "/none").ProcessInfo(ctx)
			return err
		}},
		"profile.FromReader, malformed": {"codec", func() error { _, err := profile.FromReader(ctx, reader([]byte("text")), profile.Options{}); return err }},
		"gen.Profile.Write, format": {"gen", func() error {
			p, _ := gen.FindProfile("good-citizen")
			return p.Write(io.Discard, gen.Order{Format: wire.V3})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.call()
			if err == nil {
				t.Fatal("got no error, want one")
			}
			checkErrorText(t, c.prefix+": ", err.Error())
		})
	}
}

// generated returns a small trace of a version.
func generated(t *testing.T, format wire.Format) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, p := range gen.Profiles() {
		if p.Write(&b, gen.Order{Format: format, Events: 10}) == nil {
			return b.Bytes()
		}
	}
	t.Fatalf("no profile is written in format %v", format)
	return nil
}

// readAll reads events to the end or the first error.
func readAll(r *codec.Reader) error {
	for _, err := range r.Events() {
		if err != nil {
			return err
		}
	}
	return nil
}

// mergeError returns the error of a merge.
func mergeError(sources []*edit.MergeSource) error {
	_, err := edit.Merge(context.Background(), io.Discard, sources, edit.MergeOptions{})
	return err
}

// sliceError returns the error of a slice.
func sliceError(r *codec.BlockReader, opt edit.SliceOptions) error {
	_, err := edit.Slice(context.Background(), io.Discard, r, opt)
	return err
}

// checkErrorText checks the form of the text of an error.
func checkErrorText(t *testing.T, prefix, text string) {
	t.Helper()
	rest, found := strings.CutPrefix(text, prefix)
	if !found || strings.HasPrefix(rest, prefix) {
		t.Errorf("got error %q, want %q once at its start", text, prefix)
	}
	if first, _ := utf8.DecodeRuneInString(rest); unicode.IsUpper(first) && !strings.HasPrefix(rest, "NoTags") {
		t.Errorf("got error %q, want lower case after the name of the package", text)
	}
	if strings.HasSuffix(text, ".") {
		t.Errorf("got error %q, want no full stop", text)
	}
}
