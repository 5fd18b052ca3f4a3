package rows

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// object has the keys of all lines.
type object struct {
	Type string

	Format        string
	PointerSize   int
	SyncTime      string
	SyncTicks     decimal
	TickFrequency decimal
	Properties    pairs

	ID          json.RawMessage // of metadata; of an event that of its type
	Provider    string
	GUID        string
	EventID     uint32
	Name        string
	Version     uint32
	Level       uint32
	Opcode      *uint8
	Keywords    hexNumber
	Message     string
	Description string
	Attributes  [][2]string
	Fields      json.RawMessage

	Index   decimal
	Process *decimal
	Thread  *decimal

	Time               decimal
	CaptureThread      decimal
	ThreadIndex        decimal
	CaptureThreadIndex decimal
	Processor          *uint32
	Sequence           uint32
	Stack              []hexNumber
	Activity           string
	RelatedActivity    string
	Labels             []label
	Payload            string
	Metadata           uint32
	Sorted             bool

	Flags   uint32
	Threads [][2]json.RawMessage
}

func (o *object) trace() (*codec.Trace, error) {
	t := &codec.Trace{PointerSize: o.PointerSize, SyncTicks: uint64(o.SyncTicks), TickFrequency: uint64(o.TickFrequency), Properties: o.Properties}
	major, minor, _ := strings.Cut(o.Format, ".")
	for text, n := range map[string]*uint32{major: &t.Format.Major, "0" + minor: &t.Format.Minor} {
		v, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return nil, err
		}
		*n = uint32(v)
	}
	var err error
	if o.SyncTime != "" {
		t.SyncTime, err = time.Parse(ndjson.SyncTimeLayout, o.SyncTime)
	}
	return t, err
}

func (o *object) metadata() (*codec.Metadata, error) {
	m := &codec.Metadata{
		Provider: o.Provider, EventID: o.EventID, Name: o.Name, Version: o.Version, Level: o.Level, Keywords: uint64(o.Keywords),
		Message: o.Message, Description: o.Description, Attributes: keyValues(o.Attributes),
	}
	if o.Opcode != nil {
		m.Opcode, m.OpcodeSet = *o.Opcode, true
	}
	if err := json.Unmarshal(o.ID, &m.ID); err != nil {
		return nil, err
	}
	var err error
	if m.ProviderGUID, err = parseGUID(o.GUID); err != nil {
		return nil, err
	}
	m.Fields, err = parseFields(o.Fields)
	return m, err
}

func (o *object) thread() *codec.Thread {
	t := &codec.Thread{Index: uint64(o.Index), Name: o.Name, Attributes: keyValues(o.Attributes)}
	if o.Process != nil {
		t.ProcessID, t.HasProcessID = uint64(*o.Process), true
	}
	if o.Thread != nil {
		t.ThreadID, t.HasThreadID = uint64(*o.Thread), true
	}
	return t
}

func (o *object) event(format wire.Format) (*codec.Record, error) {
	r := &codec.Record{
		MetadataID: o.Metadata, Timestamp: uint64(o.Time), Sequence: o.Sequence, Sorted: o.Sorted, Processor: wire.UnknownProcessor,
		Thread: uint64(o.ThreadIndex), CaptureThread: uint64(o.CaptureThreadIndex),
	}
	if o.Processor != nil {
		r.Processor = *o.Processor
	}
	for _, address := range o.Stack {
		r.Stack = append(r.Stack, uint64(address))
	}
	var err error
	if r.Payload, err = hex.DecodeString(o.Payload); err != nil {
		return nil, err
	}
	if format.HasLabelLists() { // activity ids are labels
		r.Labels, err = parseLabels(o.Labels)
		return r, err
	}
	r.CaptureThread = uint64(o.CaptureThread)
	if o.Thread != nil {
		r.Thread = uint64(*o.Thread)
	}
	if r.Activity, err = parseGUID(o.Activity); err != nil {
		return nil, err
	}
	r.Related, err = parseGUID(o.RelatedActivity)
	return r, err
}

func (o *object) point() (*codec.SequencePoint, error) {
	p := &codec.SequencePoint{Timestamp: uint64(o.Time), Flags: o.Flags}
	for _, pair := range o.Threads {
		var thread decimal
		var sequence uint32
		if err := json.Unmarshal(pair[0], &thread); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(pair[1], &sequence); err != nil {
			return nil, err
		}
		p.Threads = append(p.Threads, codec.ThreadSequence{Thread: uint64(thread), Sequence: sequence})
	}
	return p, nil
}

func keyValues(list [][2]string) []codec.KeyValue {
	var out []codec.KeyValue
	for _, p := range list {
		out = append(out, codec.KeyValue{Key: p[0], Value: p[1]})
	}
	return out
}

func parseGUID(text string) (wire.GUID, error) {
	var id wire.GUID
	if text == "" {
		return id, nil
	}
	b, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil || len(b) != len(id) {
		return id, fmt.Errorf("%q is no GUID", text)
	}
	for i, from := range [...]int{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15} {
		id[i] = b[from]
	}
	return id, nil
}
