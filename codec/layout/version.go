package layout

import (
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

var v3 = version{
	blocks: []block{wire.KindTrace: {part: &traceObject}, wire.KindEvent: {part: &netperfBlock}},
	plain:  &netperfRow, compressed: &netperfRow,
}

var v4 = version{
	blocks: []block{
		wire.KindTrace:         {part: &traceObject},
		wire.KindEvent:         {part: &eventBlock},
		wire.KindMetadata:      {part: &eventBlock, payload: &definition},
		wire.KindSequencePoint: {part: &sequencePointObject, left: rule.SQP001},
		wire.KindStack:         {part: &stackBlock, left: rule.STK001},
	},
	plain: &plainRowV4, compressed: &compressedRowV4,
}

var v6 = version{
	blocks: []block{
		wire.KindTrace:         {part: &traceBlock},
		wire.KindEvent:         {part: &eventBlock},
		wire.KindMetadata:      {part: &metadataBlock},
		wire.KindSequencePoint: {part: &sequencePointBlock, left: rule.SQP001},
		wire.KindStack:         {part: &stackBlock, left: rule.STK001},
		wire.KindThread:        {part: &threadBlock},
		wire.KindRemoveThread:  {part: &removeThreadBlock},
		wire.KindLabelList:     {part: &labelListBlock, left: rule.LBL002},
	},
	plain: &plainRowV6, compressed: &compressedRowV6,
}

// versions lists the tables by major version. Version 5 is version 4 with
// metadata tags, which readers of version 4 skip.
var versions = [...]*version{3: &v3, 4: &v4, 5: &v4, 6: &v6}

// versionOf returns the tables of a format, or those of the nearest version.
func versionOf(format wire.Format) *version {
	return versions[min(max(format.Major, wire.V3.Major), uint32(len(versions)-1))]
}

// part returns a part that contains itself.
func (s self) part() *part {
	switch s {
	case selfFieldsV4:
		return &fieldsV4
	case selfFieldsV2:
		return &fieldsV2
	case selfElementV2:
		return &elementV2
	case selfFieldsV6:
		return &fieldsV6
	}
	return &typePartV6
}
