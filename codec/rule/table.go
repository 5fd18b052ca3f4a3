package rule

// table is the catalogue, indexed by ID. The rows are in one array per group,
// each in the file named after it; the table is laid out by the linker.
var table = [Count]*Rule{
	HDR001: &headerRules[0], &headerRules[1], &headerRules[2], &headerRules[3],
	&headerRules[4], &headerRules[5], &headerRules[6], &headerRules[7],

	BLK001: &framingRules[0], &framingRules[1], &framingRules[2], &framingRules[3],
	&framingRules[4], &framingRules[5], &framingRules[6], &framingRules[7],
	&framingRules[8],

	TRC001: &traceRules[0], &traceRules[1], &traceRules[2], &traceRules[3],
	&traceRules[4], &traceRules[5], &traceRules[6], &traceRules[7],
	&traceRules[8], &traceRules[9], &traceRules[10], &traceRules[11],
	&traceRules[12], &traceRules[13], &traceRules[14],

	EVB001: &eventBlockRules[0], &eventBlockRules[1], &eventBlockRules[2], &eventBlockRules[3],
	&eventBlockRules[4], &eventBlockRules[5], &eventBlockRules[6], &eventBlockRules[7],
	&eventBlockRules[8], &eventBlockRules[9], &eventBlockRules[10], &eventBlockRules[11],

	CMP001: &compressedRules[0], &compressedRules[1], &compressedRules[2], &compressedRules[3],
	&compressedRules[4], &compressedRules[5], &compressedRules[6], &compressedRules[7],
	&compressedRules[8], &compressedRules[9], &compressedRules[10], &compressedRules[11],
	&compressedRules[12], &compressedRules[13],

	UNC001: &uncompressedRules[0], &uncompressedRules[1], &uncompressedRules[2], &uncompressedRules[3],
	&uncompressedRules[4], &uncompressedRules[5], &uncompressedRules[6], &uncompressedRules[7],
	&uncompressedRules[8],

	MD001: &metadataRules[0], &metadataRules[1], &metadataRules[2], &metadataRules[3],
	&metadataRules[4], &metadataRules[5], &metadataRules[6], &metadataRules[7],
	&metadataRules[8], &metadataRules[9], &metadataRules[10], &metadataRules[11],
	&metadataRules[12], &metadataRules[13], &metadataRules[14], &metadataRules[15],
	&metadataRules[16], &metadataRules[17],

	TYP001: &typeRules[0], &typeRules[1], &typeRules[2], &typeRules[3],
	&typeRules[4], &typeRules[5], &typeRules[6], &typeRules[7],
	&typeRules[8], &typeRules[9], &typeRules[10], &typeRules[11],
	&typeRules[12], &typeRules[13], &typeRules[14], &typeRules[15],
	&typeRules[16], &typeRules[17],

	OPT001: &optionalRules[0], &optionalRules[1], &optionalRules[2], &optionalRules[3],
	&optionalRules[4], &optionalRules[5], &optionalRules[6], &optionalRules[7],
	&optionalRules[8], &optionalRules[9], &optionalRules[10],

	MD4001: &metadataV4Rules[0], &metadataV4Rules[1], &metadataV4Rules[2], &metadataV4Rules[3],
	&metadataV4Rules[4], &metadataV4Rules[5], &metadataV4Rules[6],

	TAG001: &tagRules[0], &tagRules[1], &tagRules[2], &tagRules[3],
	&tagRules[4], &tagRules[5], &tagRules[6], &tagRules[7],

	STK001: &stackRules[0], &stackRules[1], &stackRules[2], &stackRules[3],
	&stackRules[4], &stackRules[5], &stackRules[6], &stackRules[7],
	&stackRules[8], &stackRules[9], &stackRules[10], &stackRules[11],
	&stackRules[12], &stackRules[13], &stackRules[14], &stackRules[15],
	&stackRules[16],

	THR001: &threadRules[0], &threadRules[1], &threadRules[2], &threadRules[3],
	&threadRules[4], &threadRules[5], &threadRules[6], &threadRules[7],
	&threadRules[8], &threadRules[9], &threadRules[10], &threadRules[11],
	&threadRules[12], &threadRules[13],

	RMT001: &removeThreadRules[0], &removeThreadRules[1], &removeThreadRules[2], &removeThreadRules[3],
	&removeThreadRules[4], &removeThreadRules[5], &removeThreadRules[6],

	LBL001: &labelListRules[0], &labelListRules[1], &labelListRules[2], &labelListRules[3],
	&labelListRules[4], &labelListRules[5], &labelListRules[6], &labelListRules[7],
	&labelListRules[8], &labelListRules[9], &labelListRules[10], &labelListRules[11],
	&labelListRules[12], &labelListRules[13], &labelListRules[14], &labelListRules[15],
	&labelListRules[16],

	SQP001: &sequencePointRules[0], &sequencePointRules[1], &sequencePointRules[2], &sequencePointRules[3],
	&sequencePointRules[4], &sequencePointRules[5], &sequencePointRules[6], &sequencePointRules[7],
	&sequencePointRules[8], &sequencePointRules[9], &sequencePointRules[10], &sequencePointRules[11],
	&sequencePointRules[12], &sequencePointRules[13], &sequencePointRules[14], &sequencePointRules[15],

	ORD001: &orderRules[0], &orderRules[1], &orderRules[2], &orderRules[3],
	&orderRules[4], &orderRules[5], &orderRules[6], &orderRules[7],
	&orderRules[8],

	SEQ001: &sequenceRules[0], &sequenceRules[1], &sequenceRules[2], &sequenceRules[3],
	&sequenceRules[4], &sequenceRules[5], &sequenceRules[6], &sequenceRules[7],
	&sequenceRules[8],

	REF001: &referenceRules[0], &referenceRules[1],

	PAY001: &payloadRules[0], &payloadRules[1], &payloadRules[2], &payloadRules[3],
	&payloadRules[4], &payloadRules[5], &payloadRules[6], &payloadRules[7],
	&payloadRules[8], &payloadRules[9], &payloadRules[10], &payloadRules[11],
	&payloadRules[12], &payloadRules[13], &payloadRules[14], &payloadRules[15],
	&payloadRules[16], &payloadRules[17], &payloadRules[18], &payloadRules[19],
	&payloadRules[20], &payloadRules[21],

	EOS001: &endOfStreamRules[0], &endOfStreamRules[1], &endOfStreamRules[2], &endOfStreamRules[3],
	&endOfStreamRules[4], &endOfStreamRules[5], &endOfStreamRules[6],

	OBJ001: &objectRules[0], &objectRules[1], &objectRules[2], &objectRules[3],
	&objectRules[4], &objectRules[5], &objectRules[6], &objectRules[7],
	&objectRules[8], &objectRules[9], &objectRules[10], &objectRules[11],
	&objectRules[12],

	NP001: &netPerfRules[0], &netPerfRules[1], &netPerfRules[2], &netPerfRules[3],
	&netPerfRules[4], &netPerfRules[5], &netPerfRules[6],

	LIM001: &limitRules[0], &limitRules[1], &limitRules[2], &limitRules[3],
	&limitRules[4], &limitRules[5], &limitRules[6], &limitRules[7],
	&limitRules[8], &limitRules[9],
}
