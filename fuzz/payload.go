package fuzz

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// The choices of the third argument of FuzzPayload.
const (
	literally  = 1 << iota // by the text alone
	objectForm             // fields as v4 writes them
	recordForm             // metadata of record-trace
)

// readFields compares the fields of the events of a stream, twice: the second
// time values are read before FieldsError.
func readFields(b []byte, v version, literal bool) error {
	r := codec.NewBytesReader(b, codec.Options{OnError: codec.Skip, NoLeniency: literal})
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		if err := fieldsAgree(e, v, literal); err != nil {
			return err
		}
	}
	var err error
	most := allowance(len(b)) + planAllowance
	if heavy := weigh(len(b), most, func() { err = visitFields(b, literal) }); heavy != nil {
		return heavy
	}
	return err
}

// planAllowance is the number of bytes that the plans of a field list may
// allocate.
const planAllowance = 32 << 20

// visitFields reads the top of every field in a reader of its own.
func visitFields(b []byte, literal bool) error {
	r := codec.NewBytesReader(b, codec.Options{OnError: codec.Skip, NoLeniency: literal})
	for e, err := range r.Events() {
		if err != nil {
			return nil
		}
		for _, v := range e.Fields() {
			v.Uint64()
			v.Units()
		}
	}
	return nil
}

// payloadStream is a stream of two events of a type with these fields.
func payloadStream(v version, fields, payload []byte, record bool) []byte {
	s := newStream(v)
	provider := "Provider"
	if record {
		provider = "Universal.System"
	}
	if v.HasMetadataHeaders() {
		row := definition(1, 0)
		row = append(row[:len(row)-4], fields...)
		b := append(eventHeader(wire.BlockCompressed), wire.RowPayloadSize, 0)
		s.add(wire.KindMetadata, append(varuint(b, uint64(len(row))), row...))
	} else {
		row := append([]byte{1}, text(provider)...)
		row = append(append(row, 1), text("Event")...)
		row = append(append(row, fields...), 0, 0)
		s.add(wire.KindMetadata, append([]byte{0, 0, byte(len(row)), byte(len(row) >> 8)}, row...))
		s.add(wire.KindThread, threads(1))
	}
	b := eventHeader(0)
	for i := range uint32(2) {
		if v.HasPadding() {
			b = append(b, rowPlainV4(1, 1+i, 0, 1, payload)...)
			for len(b)%4 != 0 {
				b = append(b, 0)
			}
		} else {
			b = append(b, rowPlainV6(1, 1+i, 0, 0, 1, payload)...)
		}
	}
	s.add(wire.KindEvent, b)
	return s.end()
}

// fuzzPayload is the function of FuzzPayload.
func fuzzPayload(t testing.TB, fields, payload []byte, how byte) {
	if len(fields) > longestInput || len(payload) > longestInput {
		return
	}
	v, literal := v6, how&literally != 0
	if how&objectForm != 0 {
		v = v4
	}
	b := payloadStream(v, fields, payload, how&recordForm != 0)
	defer guard()()
	if err := readFields(b, v, literal); err != nil {
		t.Fatalf("%v\nfields: %x\npayload: %x\nhow: %d", err, fields, payload, how)
	}
}
