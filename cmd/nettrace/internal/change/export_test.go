package change

// MergeMemory and MergeRegion are the bounds of merge's memory in bytes.
const MergeMemory, MergeRegion = mergeMemory, mergeRegion
