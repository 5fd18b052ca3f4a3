package codec_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	fields "github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestZeroValues: a value that no constructor has made panics with a text that names
// its constructor.
func TestZeroValues(t *testing.T) {
	ctx, src, dst := context.Background(), strings.NewReader(""), &bytes.Buffer{}
	for _, c := range []struct {
		name, want string
		use        func()
	}{
		{"Reader.Next", "use NewReader", func() { new(codec.Reader).Next() }},
		{"Reader.Events", "use NewReader", func() {
			for range new(codec.Reader).Events() {
			}
		}},
		{"Reader.Trace", "use NewReader", func() { new(codec.Reader).Trace() }},
		{"Reader.Reset", "use NewReader", func() { new(codec.Reader).Reset(src) }},
		{"Reader.ResetBytes", "use NewReader", func() { new(codec.Reader).ResetBytes(nil) }},
		{"BlockReader.Next", "use NewBlockReader", func() { new(codec.BlockReader).Next() }},
		{"BlockReader.Trace", "use NewBlockReader", func() { new(codec.BlockReader).Trace() }},
		{"BlockReader.Reset", "use NewBlockReader", func() { new(codec.BlockReader).Reset(src) }},
		{"BlockReader.ResetBytes", "use NewBlockReader", func() { new(codec.BlockReader).ResetBytes(nil) }},

		{"Writer.Write", "codec: a zero Writer has no destination: use NewWriter", func() { new(codec.Writer).Write(&codec.Record{}) }},
		{"Writer.DefineMetadata", "use NewWriter", func() { new(codec.Writer).DefineMetadata(&codec.Metadata{}) }},
		{"Writer.DefineThread", "use NewWriter", func() { new(codec.Writer).DefineThread(&codec.Thread{}) }},
		{"Writer.AddThread", "use NewWriter", func() { new(codec.Writer).AddThread(&codec.Thread{}) }},
		{"Writer.RemoveThread", "use NewWriter", func() { new(codec.Writer).RemoveThread(1) }},
		{"Writer.Drop", "use NewWriter", func() { new(codec.Writer).Drop(1, 1) }},
		{"Writer.SequencePoint", "use NewWriter", func() { new(codec.Writer).SequencePoint(1) }},
		{"Writer.Flush", "use NewWriter", func() { new(codec.Writer).Flush() }},
		{"Writer.Close", "use NewWriter", func() { new(codec.Writer).Close() }},
		{"Writer.Reset", "use NewWriter", func() { new(codec.Writer).Reset(dst) }},
		{"BlockWriter.WriteBlock", "use NewBlockWriter", func() { new(codec.BlockWriter).WriteBlock(&codec.BlockRows{}) }},
		{"BlockWriter.Close", "use NewBlockWriter", func() { new(codec.BlockWriter).Close() }},
		{"BlockWriter.Reset", "use NewBlockWriter", func() { new(codec.BlockWriter).Reset(dst) }},
		{"BlockWriter.Resume", "use NewBlockWriter", func() { new(codec.BlockWriter).Resume(dst, &codec.Trace{}, 1) }},
		{"Recorder.Record", "use NewRecorder", func() { new(codec.Recorder).Record(&codec.Record{}) }},
		{"Recorder.DefineMetadata", "use NewRecorder", func() { new(codec.Recorder).DefineMetadata(&codec.Metadata{}) }},
		{"Recorder.DefineThread", "use NewRecorder", func() { new(codec.Recorder).DefineThread(&codec.Thread{}) }},
		{"NewRecorder", "use NewWriter", func() { codec.NewRecorder(new(codec.Writer), codec.RecorderOptions{}) }},
		{"Recorder.AddThread", "use NewRecorder", func() { new(codec.Recorder).AddThread(&codec.Thread{}) }},
		{"Recorder.RemoveThread", "use NewRecorder", func() { new(codec.Recorder).RemoveThread(1) }},
		{"Recorder.Drop", "use NewRecorder", func() { new(codec.Recorder).Drop(1, 1) }},
		{"Recorder.Close", "use NewRecorder", func() { new(codec.Recorder).Close(ctx) }},

		{"Writer.DefineEvent", "use NewWriter", func() { new(codec.Writer).DefineEvent(&codec.Metadata{}) }},
		{"Recorder.DefineEvent", "use NewRecorder", func() { new(codec.Recorder).DefineEvent(&codec.Metadata{}) }},
		{"EventType.Event", "use DefineEvent", func() { new(codec.EventType).Event() }},

		{"Index.Between", "use NewIndex", func() { new(codec.Index).Between(codec.TimeRange{}) }},
		{"Index.Verify", "use NewIndex", func() { new(codec.Index).Verify(ctx) }},
		{"Index.Chunks", "use NewIndex", func() { new(codec.Index).Chunks(codec.TimeRange{}, 1) }},
		{"Index.ChunkReader", "use NewIndex", func() { new(codec.Index).ChunkReader(codec.ChunkHooks{}) }},
		{"NewChunkJoin", "use NewIndex", func() { codec.NewChunkJoin(new(codec.Index)) }},

		{"raw.Reader.Next", "call ResetStream or ResetMemory", func() { new(raw.Reader).Next() }},
		{"raw.Writer.Block", "raw: a zero Writer has no destination: use NewWriter", func() { new(raw.Writer).Block(&raw.Block{}) }},
		{"raw.Writer.Close", "use NewWriter", func() { new(raw.Writer).Close() }},
		{"layout.Walker.Block", "use NewWalker", func() {
			for range new(fields.Walker).Block(wire.KindEvent, nil) {
			}
		}},
		{"layout.Walker.EventRow", "use NewWalker", func() {
			for range new(fields.Walker).EventRow(true, nil, 0, 0) {
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, c.want) {
					t.Errorf("panic %q, want %q in it", text, c.want)
				}
			}()
			c.use()
		})
	}
}
