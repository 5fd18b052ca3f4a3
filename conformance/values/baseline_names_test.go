package values_test

// spellings are the numbers of enumeration values in baselines that have another
// name or none in the runtime's manifest.
var spellings = map[string]uint64{
	"AssemblyDCEnd.AssemblyFlags None":                                        0,
	"AssemblyDCEnd.AssemblyFlags ReadyToRun":                                  0x10,
	"AssemblyLoad.AssemblyFlags ReadyToRun":                                   0x10,
	"GCGlobalHeapHistory.GlobalMechanisms Compaction, Promotion":              0x6,
	"GCGlobalHeapHistory.GlobalMechanisms Compaction, Promotion, CardBundles": 0x16,
	"GCPerHeapHistory.CompactMechanisms compact_high_frag":                    0x80000002,
	"GCPerHeapHistory.ExpandMechanisms not_specified":                         0,
	"MethodLoadVerbose.MethodFlags Jitted":                                    0x8,
	"RuntimeInformationDCStart.Sku CoreClr":                                   2,
	"RuntimeInformationDCStart.StartupFlags None":                             0,
	"RuntimeInformationDCStart.StartupMode None":                              0,
}

// otherNames are fields that baselines call something else.
var otherNames = map[string]string{
	"GCMarkWithType.Promoted":                     "Bytes",
	"GCPerHeapHistory.Values.FreeListSpaceBefore": "FreeListBefore",
	"GCPerHeapHistory.Values.FreeObjSpaceBefore":  "FreeObjBefore",
	"GCPerHeapHistory.Values.FreeListSpaceAfter":  "FreeListAfter",
	"GCPerHeapHistory.Values.FreeObjSpaceAfter":   "FreeObjAfter",
}

// computed are fields of baselines that their authors' reader computes.
var computed = map[string]func(object) int64{
	"GCHeapStats.TotalHeapSize": func(o object) int64 {
		return sum(o, "GenerationSize0", "GenerationSize1", "GenerationSize2", "GenerationSize3")
	},
	"GCHeapStats.TotalPromoted": func(o object) int64 {
		return sum(o, "TotalPromotedSize0", "TotalPromotedSize1", "TotalPromotedSize2", "TotalPromotedSize3")
	},
	"GCPerHeapHistory.Values.ObjSpaceBefore": objectsBefore,
	"GCPerHeapHistory.Values.Fragmentation":  fragmentation,
	"GCPerHeapHistory.Values.ObjSizeAfter": func(o object) int64 {
		return sum(o, "SizeAfter") - fragmentation(o)
	},
	"GCPerHeapHistory.Values.Out": survivedBytes,
	"GCPerHeapHistory.Values.SurvRate": func(o object) int64 {
		return survivedBytes(o) * 100 / max(objectsBefore(o), 1)
	},
}

func objectsBefore(o object) int64 {
	return sum(o, "SizeBefore") - sum(o, "FreeListBefore", "FreeObjBefore")
}

func fragmentation(o object) int64 { return sum(o, "FreeListAfter", "FreeObjAfter") }

func survivedBytes(o object) int64 { return sum(o, "PinnedSurv", "NonePinnedSurv") }

// sum adds fields.
func sum(o object, names ...string) int64 {
	var total int64
	for _, name := range names {
		v, _ := o.get(name)
		n, _ := integer(v)
		total += n
	}
	return total
}

// synthesized are fields that no payload has; besides, a version may lack them
// (see madeUp).
var synthesized = map[string]string{"GCPerHeapHistory.Values.Name": "Gen0, Gen1, ... by position"}
