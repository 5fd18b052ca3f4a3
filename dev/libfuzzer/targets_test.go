package libfuzzer

import (
	"testing"

	"github.com/nettrace-go/nettrace/fuzz"
)

func FuzzAgrees(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzAgrees", input) })
}

func FuzzAsync(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzAsync", input) })
}

func FuzzBlockFraming(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzBlockFraming", input) })
}

func FuzzEndOfStream(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzEndOfStream", input) })
}

func FuzzEventCompressedV4(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzEventCompressedV4", input) })
}

func FuzzEventCompressedV6(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzEventCompressedV6", input) })
}

func FuzzEventPlainV4(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzEventPlainV4", input) })
}

func FuzzEventPlainV6(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzEventPlainV6", input) })
}

func FuzzEventV3(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzEventV3", input) })
}

func FuzzIndex(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzIndex", input) })
}

func FuzzLabelList(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzLabelList", input) })
}

func FuzzMetadataTags(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzMetadataTags", input) })
}

func FuzzMetadataV4(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzMetadataV4", input) })
}

func FuzzMetadataV6(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzMetadataV6", input) })
}

func FuzzMixed(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzMixed", input) })
}

func FuzzNDJSON(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzNDJSON", input) })
}

func FuzzObjectFraming(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzObjectFraming", input) })
}

func FuzzOrder(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzOrder", input) })
}

func FuzzPayload(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzPayload", input) })
}

func FuzzReader(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzReader", input) })
}

func FuzzRemoveThread(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzRemoveThread", input) })
}

func FuzzResumable(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzResumable", input) })
}

func FuzzRoundTrip(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzRoundTrip", input) })
}

func FuzzSeekable(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzSeekable", input) })
}

func FuzzSequencePointV4(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzSequencePointV4", input) })
}

func FuzzSequencePointV6(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzSequencePointV6", input) })
}

func FuzzStack(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzStack", input) })
}

func FuzzThread(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzThread", input) })
}

func FuzzTraceV4(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzTraceV4", input) })
}

func FuzzTraceV6(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzTraceV6", input) })
}

func FuzzTranscode(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzTranscode", input) })
}

func FuzzZstd(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzZstd", input) })
}

func FuzzELF(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzELF", input) })
}

func FuzzImage(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzImage", input) })
}

func FuzzPDB(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) { fuzz.Run("FuzzPDB", input) })
}
