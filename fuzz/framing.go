package fuzz

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// trace returns the function of the first block of a stream.
func trace(v version) func(testing.TB, []byte) {
	return func(t testing.TB, body []byte) {
		if len(body) > longestInput {
			return
		}
		s := newStreamTrace(v, body).tables()
		s.add(wire.KindEvent, s.events())
		check(t, s.end())
	}
}

// wholeStream returns the function of a complete stream.
func wholeStream(examine func(testing.TB, []byte)) func(testing.TB, []byte) {
	return func(t testing.TB, b []byte) {
		if len(b) <= longestInput {
			examine(t, b)
		}
	}
}

// fuzzMetadataTags is the function of FuzzMetadataTags.
func fuzzMetadataTags(t testing.TB, tags []byte) {
	if len(tags) > longestInput {
		return
	}
	s := newStream(v4).tables()
	for _, fields := range []int{0, 2} {
		row := append(definition(5, fields), tags...)
		b := append(eventHeader(wire.BlockCompressed), wire.RowPayloadSize, 0)
		b = append(varuint(b, uint64(len(row))), row...)
		s.add(wire.KindMetadata, b)
		s.add(wire.KindEvent, s.events(5))
	}
	check(t, s.end())
}

// fuzzEndOfStream is the function of FuzzEndOfStream.
func fuzzEndOfStream(t testing.TB, b []byte) {
	if len(b) > longestInput {
		return
	}
	for _, v := range []version{v3, v4, v6} {
		s := newStream(v).tables()
		s.add(wire.KindEvent, s.events())
		if !v.HasObjects() {
			s.add(wire.KindEndOfStream, b)
		} else {
			s.end()
		}
		o := check(t, s.raw(b).b)
		if o.err != nil || o.trailing != int64(len(b)) {
			t.Fatalf("version %v: %d bytes follow the end; the reader returns %d, %v", v.Format, len(b), o.trailing, o.err)
		}
	}
}

// fuzzObjectFraming is the function of FuzzObjectFraming.
func fuzzObjectFraming(t testing.TB, b []byte) {
	if len(b) > longestInput {
		return
	}
	check(t, newStream(v4).raw(b).b)
	check(t, newStream(v3).raw(b).b)
}

// fuzzBlockFraming is the function of FuzzBlockFraming.
func fuzzBlockFraming(t testing.TB, b []byte) {
	if len(b) > longestInput {
		return
	}
	check(t, newStream(v6).raw(b).b)
}
