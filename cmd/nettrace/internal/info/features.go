package info

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// feature is an optional part of the format that a stream may use.
type feature uint8

const (
	featureCompressedRows feature = iota
	featureUncompressedRows
	featureOpcodeTags
	featureV2Params
	featureMetadataAttributes
	featureThreadAttributes
	featureRemovedThreads
	featureThreadFlush
	featureMetadataFlush
	featureHeaderExtensions
	featureUnknownBlocks
	featureStacks
	featureLabels
	featureActivities
	featureUnsorted
)

// featureNames are the names in info, in the order in which they are printed.
var featureNames = [...]string{
	featureCompressedRows:     "compressedRows",     // event blocks with header compression
	featureUncompressedRows:   "uncompressedRows",   // event blocks of v4 and later without
	featureOpcodeTags:         "opcodeTags",         // v5: an Opcode tag after metadata
	featureV2Params:           "v2Params",           // v5: a V2Params tag after metadata
	featureMetadataAttributes: "metadataAttributes", // v6: key and value pairs of metadata
	featureThreadAttributes:   "threadAttributes",   // v6: key and value pairs of threads
	featureRemovedThreads:     "removedThreads",     // v6: RemoveThread entries
	featureThreadFlush:        "threadFlush",        // v6: a sequence point that flushes threads
	featureMetadataFlush:      "metadataFlush",      // v6: a sequence point that flushes metadata
	featureHeaderExtensions:   "headerExtensions",   // event block headers over 20 bytes
	featureUnknownBlocks:      "unknownBlocks",      // blocks or objects that no specification describes
	featureStacks:             "stacks",             // events with a stack
	featureLabels:             "labels",             // v6: events with labels
	featureActivities:         "activities",         // events with an activity id
	featureUnsorted:           "unsorted",           // events older than one before them
}

// features is a set of features, and the state that fills it.
type features struct {
	met    uint32
	newest uint64 // ticks
}

func (f *features) set(which feature) { f.met |= 1 << which }

func (f *features) has(which feature) bool { return f.met>>which&1 != 0 }

// setIf adds a feature if the condition is true.
func (f *features) setIf(met bool, which feature) {
	if met {
		f.set(which)
	}
}

// names returns the names of the features.
func (f *features) names() []string {
	var names []string
	for which, name := range featureNames {
		if f.has(feature(which)) {
			names = append(names, name)
		}
	}
	return names
}

// block adds the features of a block and of the table rows in it.
func (f *features) block(t *codec.Trace, b *codec.Block) {
	if b.Kind == wire.KindEvent && b.HeaderSize > 0 {
		f.setIf(b.Compressed(), featureCompressedRows)
		f.setIf(!b.Compressed(), featureUncompressedRows)
		f.setIf(b.HeaderSize > 20, featureHeaderExtensions)
	}
	for i := range b.Metadata {
		m := b.Metadata[i].Metadata
		f.setIf(m.OpcodeSet && t != nil && !t.Format.HasOptionalMetadata(), featureOpcodeTags)
		f.setIf(m.V2Params, featureV2Params)
		f.setIf(len(m.Attributes) > 0, featureMetadataAttributes)
	}
	for _, thread := range b.Threads {
		f.setIf(len(thread.Attributes) > 0, featureThreadAttributes)
	}
	f.setIf(len(b.Removed) > 0, featureRemovedThreads)
	f.setIf(b.SequencePoint.Flags&wire.SequenceThreads != 0, featureThreadFlush)
	f.setIf(b.SequencePoint.Flags&wire.SequenceMetadata != 0, featureMetadataFlush)
}

// event adds the features of an event.
func (f *features) event(e *codec.Event) {
	f.setIf(e.Timestamp < f.newest, featureUnsorted)
	f.newest = max(f.newest, e.Timestamp)
	if !f.has(featureStacks) {
		f.setIf(len(e.Stack()) > 0, featureStacks)
	}
	if !f.has(featureLabels) {
		f.setIf(len(e.Labels()) > 0, featureLabels)
	}
	if !f.has(featureActivities) {
		f.setIf(!e.Activity().IsZero(), featureActivities)
	}
}
