package rule

// groups is the catalogue: the rules of all groups in the order of the IDs. A rule
// stands only in the file of its group, at the place that its ID has in ids.go.
var groups = [...][]Rule{
	headerRules[:], framingRules[:], traceRules[:], eventBlockRules[:], compressedRules[:], uncompressedRules[:],
	metadataRules[:], typeRules[:], optionalRules[:], metadataV4Rules[:], tagRules[:], stackRules[:],
	threadRules[:], removeThreadRules[:], labelListRules[:], sequencePointRules[:], orderRules[:], sequenceRules[:],
	referenceRules[:], payloadRules[:], endOfStreamRules[:], objectRules[:], netPerfRules[:], limitRules[:],
}

// at returns the rule of a valid ID.
func at(id ID) *Rule {
	i := int(id) - 1
	for _, group := range groups {
		if i < len(group) {
			return &group[i]
		}
		i -= len(group)
	}
	return nil
}
