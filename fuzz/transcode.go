package fuzz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
)

// most is the number of bytes that an edit of one input may allocate: the tables
// of a Reader and of a Writer.
const most = 2*total + slack

// edited runs an edit of b, whose Reader skips bad blocks, and weighs it.
func edited(b []byte, how func(dst *bytes.Buffer, src *codec.BlockReader) error) (out []byte, err error) {
	heavy := weigh(len(b), most, func() {
		var dst bytes.Buffer
		err = how(&dst, codec.NewBytesBlockReader(b, codec.Options{OnError: codec.Skip}))
		out = dst.Bytes()
	})
	if heavy != nil {
		return nil, heavy
	}
	return out, err
}

// sourceOf is the stream for a seed of sources.
func sourceOf(data, damage []byte) (b []byte, sound bool) {
	if len(data) == 0 && len(damage) > 3 {
		return clip(damage), false
	}
	return made(data, damage)
}

func preserve(dst *bytes.Buffer, src *codec.BlockReader) error {
	return edit.Preserve(context.Background(), dst, src)
}

func roundTrip(b []byte, sound bool) error {
	again, err := edited(b, preserve)
	if err != nil {
		return refused(b, sound, err)
	}
	if sound && !bytes.Equal(again, b) {
		return errors.New("written again, the bytes differ")
	}
	if err := sameMeaning(b, again, func(_, _ *record) {}); err != nil {
		return fmt.Errorf("written again: %w", err)
	}
	if third, err := edited(again, preserve); err != nil || !bytes.Equal(third, again) {
		return fmt.Errorf("written for the second time, the bytes differ (%v)", err)
	}
	return nil
}

// refused reports whether an edit may fail with err: of a stream without anything
// to write, or with properties that the version cannot express.
func refused(b []byte, sound bool, err error) error {
	o, broken := newReading(codec.Options{OnError: codec.Skip}).memory(b).through(byEvents)
	if broken != nil {
		return broken
	}
	none := len(o.events) == 0 && sameError(o.err, err)
	if !sound && (none || errors.Is(err, edit.ErrNotWritten) || errors.Is(err, codec.ErrNotExpressible)) {
		return nil
	}
	return fmt.Errorf("not written: %w", err)
}

// sameMeaning compares the events of two streams without their offsets. level
// removes properties that the second one need not have.
func sameMeaning(was, is []byte, level func(was, is *record)) error {
	a, err := newReading(codec.Options{OnError: codec.Skip}).memory(was).through(byNext)
	if err != nil {
		return err
	}
	b, err := newReading(codec.Options{}).memory(is).through(byNext)
	if err != nil {
		return err
	}
	if b.err != nil && !errors.Is(b.err, codec.ErrLimit) {
		return fmt.Errorf("the written stream ends with %w", b.err)
	}
	if len(a.events) != len(b.events) && b.err == nil {
		return fmt.Errorf("%d events, were %d", len(b.events), len(a.events))
	}
	for i := range b.events {
		x, y := a.events[i], b.events[i]
		x.Offset, x.Flags, y.Offset, y.Flags = 0, 0, 0, 0
		if level(&x, &y); x != y {
			return fmt.Errorf("event %d was\n%+v\nis\n%+v", i, x, y)
		}
	}
	return nil
}

// transcode converts a stream: form chooses the version, and how it is written.
func transcode(b []byte, sound bool, form byte) error {
	opt := edit.ConvertOptions{
		Format:       wire.Format{Major: 4 + uint32(form%3)},
		Uncompressed: form&8 != 0, Compact: form&16 != 0,
	}
	out, err := edited(b, func(dst *bytes.Buffer, src *codec.BlockReader) error {
		_, err := edit.Convert(context.Background(), dst, src, opt)
		return err
	})
	if err != nil {
		return refused(b, sound, err)
	}
	return sameMeaning(b, out, func(was, is *record) {
		if was.Metadata == 0 { // its reference is missing, or removed
			is.Provider, is.Name, is.ID = "", "", 0
		}
		*was, *is = coreOf(was), coreOf(is)
	})
}

// coreOf has the properties that every version can express.
func coreOf(r *record) record {
	r.Provider, r.Name = oldText(r.Provider), oldText(r.Name)
	return record{
		Timestamp: r.Timestamp, Processor: r.Processor, PayloadSize: r.PayloadSize, Payload: r.Payload,
		Frames: r.Frames, Stack: r.Stack, Provider: r.Provider, Name: r.Name, ID: r.ID,
		Activity: r.Activity, RelatedActivity: r.RelatedActivity,
	}
}

// oldText is the form of a text in v4: UTF-16 up to the first zero, with U+FFFD
// for invalid UTF-8.
func oldText(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return string([]rune(s))
}

// fuzzRoundTrip is the function of FuzzRoundTrip.
func fuzzRoundTrip(t testing.TB, data, damage []byte, _ byte) {
	b, sound := sourceOf(data, damage)
	if len(b) > longestInput {
		return
	}
	defer guard()()
	if err := roundTrip(b, sound); err != nil {
		t.Fatalf("%v\nstream: %x", err, b)
	}
}

// fuzzTranscode is the function of FuzzTranscode.
func fuzzTranscode(t testing.TB, data, damage []byte, form byte) {
	b, sound := sourceOf(data, damage)
	if len(b) > longestInput {
		return
	}
	defer guard()()
	if err := transcode(b, sound, form); err != nil {
		t.Fatalf("form %d: %v\nstream: %x", form, err, b)
	}
}
