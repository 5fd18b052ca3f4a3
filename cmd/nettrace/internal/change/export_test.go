package change

// MergeMemory and MergeRegion are the bounds of merge's memory in bytes.
const MergeMemory, MergeRegion = mergeMemory, mergeRegion

// PartNames returns the names of the files that slice --split has written as parts
// of the output with the given name.
func PartNames(name string) (names []string) {
	for _, part := range earlierParts(name) {
		names = append(names, part.name)
	}
	return names
}
