package gen_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// sameBlock compares a read block with the written one.
func sameBlock(want, got *codec.BlockRows) error {
	switch {
	case want.Kind != got.Kind:
		return fmt.Errorf("kind %v", got.Kind)
	case want.Flags != got.Flags, want.MinTimestamp != got.MinTimestamp, want.MaxTimestamp != got.MaxTimestamp:
		return fmt.Errorf("header %d %d %d", got.Flags, got.MinTimestamp, got.MaxTimestamp)
	case !bytes.Equal(want.Extension, got.Extension):
		return fmt.Errorf("extension % x, want % x", got.Extension, want.Extension)
	case want.FirstID != got.FirstID:
		return fmt.Errorf("first id %d", got.FirstID)
	case !bytes.Equal(want.Body, got.Body):
		return errors.New("body")
	case !slices.Equal(want.Removed, got.Removed):
		return fmt.Errorf("removed %v, want %v", got.Removed, want.Removed)
	case !samePoint(&want.SequencePoint, &got.SequencePoint):
		return fmt.Errorf("sequence point %v, want %v", got.SequencePoint, want.SequencePoint)
	case want.Trace != nil && !sameTrace(want.Trace, got.Trace):
		return fmt.Errorf("trace %v, want %v", got.Trace, want.Trace)
	}
	return errors.Join(
		sameRows("event", want.Events, got.Events, sameRow),
		sameRows("metadata", want.Metadata, got.Metadata, func(a, b *codec.MetadataBytes) bool {
			header := a.Header // v6 has none
			if b.Header.Payload == nil {
				header = codec.EventRow{}
			}
			header.Payload = b.Header.Payload
			return b.Bytes == nil && sameMetadata(a.Metadata, b.Metadata) && sameRow(&header, &b.Header)
		}),
		sameRows("stack", want.Stacks, got.Stacks, func(a, b *codec.StackBytes) bool {
			return b.Bytes == nil && slices.Equal(a.Addresses, b.Addresses)
		}),
		sameRows("label list", want.LabelLists, got.LabelLists, func(a, b *codec.LabelListBytes) bool {
			return b.Bytes == nil && slices.Equal(a.Labels, b.Labels)
		}),
		sameRows("thread", want.Threads, got.Threads, func(a, b *codec.ThreadBytes) bool {
			return b.Bytes == nil && sameThread(a.Thread, b.Thread)
		}),
	)
}

// sameRows compares two lists.
func sameRows[T any](what string, want, got []T, same func(a, b *T) bool) error {
	if len(want) != len(got) {
		return fmt.Errorf("%d %s rows, want %d", len(got), what, len(want))
	}
	for i := range want {
		if !same(&want[i], &got[i]) {
			return fmt.Errorf("%s row %d: %+v, want %+v", what, i, got[i], want[i])
		}
	}
	return nil
}

// sameRow compares two event rows but for the fields that need not be written.
func sameRow(a, b *codec.EventRow) bool {
	return a.MetadataID == b.MetadataID && a.Sequence == b.Sequence && a.CaptureThreadIndex == b.CaptureThreadIndex &&
		a.Processor == b.Processor && a.ThreadIndex == b.ThreadIndex && a.StackID == b.StackID &&
		a.Timestamp == b.Timestamp && a.LabelListID == b.LabelListID && a.Activity == b.Activity &&
		a.Related == b.Related && a.Sorted == b.Sorted && bytes.Equal(a.Payload, b.Payload)
}

func samePoint(a, b *codec.SequencePoint) bool {
	return a.Timestamp == b.Timestamp && a.Flags == b.Flags && slices.Equal(a.Threads, b.Threads)
}

// sameTrace compares two traces. A stream of v5 declares v4.
func sameTrace(a, b *codec.Trace) bool {
	format := a.Format
	if format == wire.V5 {
		format = wire.V4
	}
	return format == b.Format && a.SyncTime.Equal(b.SyncTime) && a.SyncTicks == b.SyncTicks &&
		a.TickFrequency == b.TickFrequency && a.PointerSize == b.PointerSize && slices.Equal(a.Properties, b.Properties)
}

func sameThread(a, b *codec.Thread) bool {
	return a.Index == b.Index && a.Name == b.Name && a.ProcessID == b.ProcessID && a.ThreadID == b.ThreadID &&
		a.HasProcessID == b.HasProcessID && a.HasThreadID == b.HasThreadID && slices.Equal(a.Attributes, b.Attributes)
}

func sameMetadata(a, b *codec.Metadata) bool {
	return a.ID == b.ID && a.Provider == b.Provider && a.ProviderGUID == b.ProviderGUID && a.EventID == b.EventID &&
		a.Name == b.Name && a.Keywords == b.Keywords && a.Version == b.Version && a.Level == b.Level &&
		a.Opcode == b.Opcode && a.OpcodeSet == b.OpcodeSet && a.V2Params == b.V2Params && a.Message == b.Message &&
		a.Description == b.Description && slices.Equal(a.Attributes, b.Attributes) &&
		slices.EqualFunc(a.Fields, b.Fields, sameField)
}

func sameField(a, b codec.Field) bool { return a.Name == b.Name && sameType(&a.Type, &b.Type) }

func sameType(a, b *codec.Type) bool {
	return a.Code == b.Code && a.Count == b.Count && slices.EqualFunc(a.Fields, b.Fields, sameField) &&
		(a.Element == nil) == (b.Element == nil) && (a.Element == nil || sameType(a.Element, b.Element))
}
