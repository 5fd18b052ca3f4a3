package fuzz

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// longestInput is the size of the longest input that is read.
const longestInput = 32 << 10

// table returns the function of a kind of block with definitions: it is in the stream
// twice, with events after each.
func table(kind wire.Kind, versions ...version) func(testing.TB, []byte) {
	return func(t testing.TB, body []byte) {
		if len(body) > longestInput {
			return
		}
		for _, v := range versions {
			s := newTableStream(v, kind, body)
			if err := s.agrees(check(t, s.b)); err != nil {
				t.Fatalf("version %v: %v\nbody: %x", v.Format, err, body)
			}
		}
	}
}

// functions returns the function of each fuzz target. Its parameters are testing.TB and
// those of the target.
func functions() map[string]any {
	return map[string]any{
		"FuzzAgrees":            fuzzAgrees,
		"FuzzAsync":             fuzzAsync,
		"FuzzBlockFraming":      fuzzBlockFraming,
		"FuzzELF":               fuzzELF,
		"FuzzEndOfStream":       fuzzEndOfStream,
		"FuzzEventCompressedV4": rows(v4, wire.BlockCompressed, (*eventStream).compressedAgrees),
		"FuzzEventCompressedV6": rows(v6, wire.BlockCompressed, (*eventStream).compressedAgrees),
		"FuzzEventPlainV4":      rows(v4, 0, (*eventStream).plainAgrees),
		"FuzzEventPlainV6":      rows(v6, 0, (*eventStream).plainAgrees),
		"FuzzEventV3":           rows(v3, 0, (*eventStream).netperfAgrees),
		"FuzzImage":             fuzzImage,
		"FuzzIndex":             wholeStream(checkIndex),
		"FuzzLabelList":         table(wire.KindLabelList, v6),
		"FuzzMetadataTags":      fuzzMetadataTags,
		"FuzzMetadataV4":        table(wire.KindMetadata, v4),
		"FuzzMetadataV6":        table(wire.KindMetadata, v6),
		"FuzzMixed":             fuzzMixed,
		"FuzzNDJSON":            fuzzNDJSON,
		"FuzzObjectFraming":     fuzzObjectFraming,
		"FuzzOrder":             fuzzOrder,
		"FuzzPDB":               fuzzPDB,
		"FuzzPayload":           fuzzPayload,
		"FuzzReader":            wholeStream(func(t testing.TB, b []byte) { check(t, b) }),
		"FuzzRemoveThread":      table(wire.KindRemoveThread, v6),
		"FuzzResumable":         fuzzResumable,
		"FuzzRoundTrip":         fuzzRoundTrip,
		"FuzzSeekable":          fuzzSeekable(),
		"FuzzSequencePointV4":   table(wire.KindSequencePoint, v4),
		"FuzzSequencePointV6":   table(wire.KindSequencePoint, v6),
		"FuzzStack":             table(wire.KindStack, v4, v6on32),
		"FuzzThread":            table(wire.KindThread, v6),
		"FuzzTraceV4":           trace(v4),
		"FuzzTraceV6":           trace(v6),
		"FuzzTranscode":         fuzzTranscode,
		"FuzzZstd":              fuzzZstd(),
	}
}
