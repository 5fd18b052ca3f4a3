package edit_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestCanceled: each function returns the cause of a canceled context, at once or
// while it reads, and writes no end mark.
func TestCanceled(t *testing.T) {
	enough := errors.New("enough")
	v4, v3 := shared.Trace(t, "net10-deep.v4"), shared.Trace(t, "net10-netperf.v3")
	for _, c := range []struct {
		name string
		data []byte
		run  func(ctx context.Context, dst io.Writer, src io.Reader) error
	}{
		{"Preserve", v4, func(ctx context.Context, dst io.Writer, src io.Reader) error {
			return edit.Preserve(ctx, dst, codec.NewBlockReader(src, codec.Options{}))
		}},
		{"Convert", v4, func(ctx context.Context, dst io.Writer, src io.Reader) error {
			_, err := edit.Convert(ctx, dst, codec.NewBlockReader(src, codec.Options{}), edit.ConvertOptions{})
			return err
		}},
		{"Convert v3", v3, func(ctx context.Context, dst io.Writer, src io.Reader) error {
			_, err := edit.Convert(ctx, dst, codec.NewBlockReader(src, codec.Options{}), edit.ConvertOptions{})
			return err
		}},
		{"Repair", v4, func(ctx context.Context, dst io.Writer, src io.Reader) error {
			_, err := edit.Repair(ctx, dst, src, codec.Options{})
			return err
		}},
		{"Slice", v4, func(ctx context.Context, dst io.Writer, src io.Reader) error {
			_, err := edit.Slice(ctx, dst, codec.NewBlockReader(src, codec.Options{}), edit.SliceOptions{})
			return err
		}},
		{"Split", v4, func(ctx context.Context, _ io.Writer, src io.Reader) error {
			next := func(int) (io.WriteCloser, error) { return nothing{io.Discard}, nil }
			_, err := edit.Split(ctx, next, codec.NewBlockReader(src, codec.Options{}), edit.SplitOptions{})
			return err
		}},
		{"Merge", v4, func(ctx context.Context, dst io.Writer, src io.Reader) error {
			_, err := edit.Merge(ctx, dst, []*edit.MergeSource{edit.NewMergeSource(src, edit.MergeSourceOptions{Name: "a"})}, edit.MergeOptions{})
			return err
		}},
		{"Diff", v4, func(ctx context.Context, _ io.Writer, src io.Reader) error {
			_, err := edit.Diff(ctx, codec.NewReader(src, codec.Options{}), codec.NewBytesReader(v4, codec.Options{}), edit.DiffOptions{})
			return err
		}},
	} {
		for name, after := range map[string]int{"at once": 0, "later": len(c.data) / 2} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(context.Background())
				src := &canceling{r: bytes.NewReader(c.data), left: after, cancel: func() { cancel(enough) }}
				if after == 0 {
					src.cancel()
				}
				var out bytes.Buffer
				if err := c.run(ctx, &out, src); !errors.Is(err, enough) {
					t.Fatalf("got %v, want %v", err, enough)
				}
				if err := ended(out.Bytes()); err == nil && out.Len() > 0 {
					t.Error("an end mark was written")
				}
			})
		}
	}
}

// canceling calls cancel once so many bytes are read.
type canceling struct {
	r      io.Reader
	left   int
	cancel func()
}

func (c *canceling) Read(b []byte) (int, error) {
	n, err := c.r.Read(b[:min(len(b), 1<<14)])
	if c.left -= n; c.left <= 0 {
		c.cancel()
	}
	return n, err
}

// nothing is an output that needs no closing.
type nothing struct{ io.Writer }

func (nothing) Close() error { return nil }

// ended returns why a stream does not reach its end mark.
func ended(stream []byte) error {
	r := codec.NewBytesReader(stream, codec.Options{})
	for _, ok := r.Next(); ok; _, ok = r.Next() {
	}
	return r.Err()
}
