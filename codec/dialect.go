package codec

import (
	"strings"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// dialect has the differences of a version of the format. It is chosen once, from
// the stream's header; no other file knows that versions differ.
type dialect struct {
	rows      [2]func(*rowState, []byte, []Event) (int, rule.ID) // uncompressed and compressed event rows
	blocks    [wire.KindLabelList + 1]func(*stream, *raw.Block)  // by kind
	stack     func(*Event) []uint64
	times     func(block *IndexBlock, head []byte) // from the head of a body, for an Index
	indexed   bool                                 // threads are rows of a table, labels are lists
	sequenced bool                                 // rows have sequence numbers
	restarts  bool                                 // number 1 may be a new thread with an old id
	backwards rule.ID                              // the rule that a backward step of sequence numbers breaks
	second    rule.ID                              // the rule that a second Trace block breaks
	inline    bool                                 // event rows with metadata id 0 define metadata
}

var netperf = dialect{
	rows: [2]func(*rowState, []byte, []Event) (int, rule.ID){decodeV3, decodeV3},
	blocks: [...]func(*stream, *raw.Block){
		wire.KindTrace: readTraceObject, wire.KindEvent: readEventBlockV3, wire.KindLabelList: nil,
	},
	stack: inlineStackOf, times: firstRowTime, second: rule.NP002, inline: true,
}

var v4 = dialect{
	rows: [2]func(*rowState, []byte, []Event) (int, rule.ID){decodePlainV4, decodeCompressedV4},
	blocks: [...]func(*stream, *raw.Block){
		wire.KindTrace: readTraceObject, wire.KindEvent: readEventBlock, wire.KindMetadata: readMetadataObject,
		wire.KindSequencePoint: readSequencePointObject, wire.KindStack: readStackBlock, wire.KindLabelList: nil,
	},
	stack: internedStackOf, times: headerTimes, sequenced: true, restarts: true, backwards: rule.SEQ004, second: rule.OBJ012,
}

var v6 = dialect{
	rows: [2]func(*rowState, []byte, []Event) (int, rule.ID){decodePlainV6, decodeCompressedV6},
	blocks: [...]func(*stream, *raw.Block){
		wire.KindTrace: readTraceBlock, wire.KindEvent: readEventBlock, wire.KindMetadata: readMetadataBlock,
		wire.KindSequencePoint: readSequencePointBlock, wire.KindStack: readStackBlock, wire.KindThread: readThreadBlock,
		wire.KindRemoveThread: readRemoveThreadBlock, wire.KindLabelList: readLabelListBlock,
	},
	stack: internedStackOf, times: headerTimes, indexed: true, sequenced: true, backwards: rule.SEQ002, second: rule.BLK006,
}

// dialectOf chooses by the framing and the number in the header. Objects with a
// number above 4 are v4 as far as a reader of v4 is concerned, or the framing
// would have refused them.
func dialectOf(f wire.Format, objects bool) *dialect {
	switch {
	case !objects:
		return &v6
	case f.Major == 3:
		return &netperf
	}
	return &v4
}

// encoding is how a version is written: the mirror of dialect.
type encoding struct {
	rows       [2]func(*rowEncoder, []EventRow) // uncompressed and compressed event rows
	blocks     []encodeBlock                    // by kind
	trace      func([]byte, *Trace, wire.Format) ([]byte, error)
	definition func([]byte, *Metadata, wire.Format) ([]byte, error)
	point      func([]byte, *SequencePoint) []byte
	indexed    bool // threads are rows of a table, labels are lists
}

// encodeBlock appends the body of a block.
type encodeBlock = func(e *blockEncoder, dst []byte, b *BlockRows) ([]byte, error)

var encodeObjects = []encodeBlock{
	wire.KindTrace: (*blockEncoder).trace, wire.KindEvent: (*blockEncoder).events,
	wire.KindMetadata: (*blockEncoder).metadataObject, wire.KindStack: (*blockEncoder).stacks,
	wire.KindSequencePoint: (*blockEncoder).sequencePoint,
}

var encodeBlocks = []encodeBlock{
	wire.KindTrace: (*blockEncoder).trace, wire.KindEvent: (*blockEncoder).events,
	wire.KindMetadata: (*blockEncoder).metadataBlock, wire.KindStack: (*blockEncoder).stacks,
	wire.KindSequencePoint: (*blockEncoder).sequencePoint, wire.KindThread: (*blockEncoder).threads,
	wire.KindRemoveThread: (*blockEncoder).removedThreads, wire.KindLabelList: (*blockEncoder).labelLists,
}

// encodings by the major number; those without rows are not written.
var encodings = [...]encoding{
	4: {
		rows:   [2]func(*rowEncoder, []EventRow){(*rowEncoder).plainV4, (*rowEncoder).compressedV4},
		blocks: encodeObjects, trace: appendTraceObject, definition: appendDefinitionV4, point: appendPointObject,
	},
	5: {
		rows:   [2]func(*rowEncoder, []EventRow){(*rowEncoder).plainV4, (*rowEncoder).compressedV4},
		blocks: encodeObjects, trace: appendTraceObject, definition: appendDefinitionV5, point: appendPointObject,
	},
	6: {
		rows:   [2]func(*rowEncoder, []EventRow){(*rowEncoder).plainV6, (*rowEncoder).compressedV6},
		blocks: encodeBlocks, trace: appendTraceBlock, definition: appendMetadataV6, point: appendPointBlock, indexed: true,
	},
}

// CanWrite reports whether this package can write a version: 4, 5 and 6.0.
func CanWrite(f wire.Format) bool { return encodingOf(f) != nil }

// written lists the versions that can be written.
func written() string {
	var list []string
	for major := range encodings {
		if f := (wire.Format{Major: uint32(major)}); CanWrite(f) {
			list = append(list, f.String())
		}
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// encodingOf returns how a version is written, nil if it is not.
func encodingOf(f wire.Format) *encoding {
	if f.Minor != 0 || f.Major >= uint32(len(encodings)) || encodings[f.Major].trace == nil {
		return nil
	}
	return &encodings[f.Major]
}

func internedStackOf(e *Event) []uint64 { return e.src.r.stacks.get(e.StackID) }

// inlineStackOf reads the stack after a v3 payload into the reader's scratch.
// Without memory for it the event has no stack, and the iteration ends.
func inlineStackOf(e *Event) []uint64 {
	r := e.src.r
	b := inlineStack(e.src.body, int(e.payload+e.size))
	if n := len(b) / r.trace.PointerSize; n > cap(r.inline) {
		if n = max(n, 64); !r.withinTotal(int64(n) * addressSize) {
			return nil
		}
		r.inline = make([]uint64, 0, n)
	}
	r.inline = appendAddresses(r.inline[:0], b, r.trace.PointerSize)
	return r.inline
}
