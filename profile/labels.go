package profile

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Label is an additional property of a sample. Keys are those of the .NET
// continuous profiler; events of v6 add their own keys. The value is Text or
// Num.
type Label struct {
	// Key is the name of the property, such as "thread id".
	Key  string
	Text string // "" for a number
	Raw  string // for the name of a type: as the trace has it; Text is in the form of symbols.TypeName
	// Num is the value if Text is empty.
	Num  int64
	Unit string // of Num, "" for none
}

// Keys of labels.
const (
	keyThreadID         = "thread id"
	keyThreadName       = "thread name"
	keyProcessID        = "appdomain process id"
	keyProcessName      = "process name" // only of a trace with several processes
	keyExceptionType    = "exception type"
	keyExceptionMessage = "exception message"
	keyAllocationClass  = "allocation class"
	keyContentionType   = "contention type"
	keyBlockingThread   = "blocking thread id"
	keyBlockingName     = "blocking thread name"
	keyDurationBucket   = "Duration bucket"
	keyWaitBucket       = "Wait duration bucket"
	keyGCGeneration     = "gc generation" // text: a number 0 would mean no label
	keyGCReason         = "gc reason"
	keyGCType           = "gc type"
	keyGCNumber         = "gc number"
	keyGCCompacting     = "gc compacting"
	keyTraceID          = "trace id"
	keySpanID           = "span id"
	keyUnfinished       = "unfinished" // text "true": the trace does not have the end of the duration
)

// labelRow is a stored label.
type labelRow struct {
	key, text uint32
	num       int64
	number    bool
}

// Labels returns the labels of a sample, those of its thread first.
func (p *Profile) Labels(s *Sample) []Label {
	var list []Label
	if s.Thread < len(p.threads.rows) {
		t := &p.threads.rows[s.Thread]
		list = append(list, Label{Key: keyThreadID, Text: strconv.FormatUint(t.ID, 10)}, Label{Key: keyThreadName, Text: t.Label()})
		if t.ProcessID > 0 {
			list = append(list, Label{Key: keyProcessID, Num: int64(t.ProcessID)})
		}
		if name := p.Process(t.ProcessID).Name; name != "" && p.several {
			list = append(list, Label{Key: keyProcessName, Text: name})
		}
	}
	if len(p.served) > 0 {
		list = p.requestLabels(list, s)
	}
	d := p.details.at(int(s.detail))
	list = p.appendLabels(list, d.label, d.labels)
	if d.owner > 0 {
		list = append(list, Label{Key: keyBlockingThread, Num: int64(d.owner)})
		if name := p.ownerName(s.Thread, d.owner); name != "" {
			list = append(list, Label{Key: keyBlockingName, Text: name})
		}
	}
	return list
}

// ownerName is the name of the thread that held the lock that a thread waited
// for, "" when unknown.
func (p *Profile) ownerName(waiting int, owner uint64) string {
	if waiting >= len(p.threads.rows) {
		return ""
	}
	at, ok := p.threads.known[threadKey{process: p.threads.rows[waiting].ProcessID, thread: owner}]
	if !ok {
		return ""
	}
	return p.threads.rows[at].Name
}

func (p *Profile) appendLabels(list []Label, from, count uint32) []Label {
	for i := range count {
		l := p.labels.at(int(from + i))
		out := Label{Key: p.texts.texts[l.key], Num: l.num}
		if !l.number {
			out.Text = p.texts.texts[l.text]
		}
		if out.Key == keyAllocationClass || out.Key == keyExceptionType {
			out.Text, out.Raw = p.typeName(l.text), out.Text
		}
		list = append(list, out)
	}
	return list
}

// typeName is the readable name of a type, by the number of its text.
func (p *Profile) typeName(text uint32) string {
	name, ok := p.typeNames[text]
	if !ok {
		name = symbols.TypeName(p.texts.texts[text])
		p.typeNames[text] = name
	}
	return name
}

// labelText adds a label to the detail of the current sample.
func (b *builder) labelText(key, text string) {
	if !b.p.opt.NoLabels {
		b.labelRow(labelRow{key: b.p.texts.of(key), text: b.p.texts.of(text)})
	}
}

// labelUTF16 adds a text of UTF-16 units.
func (b *builder) labelUTF16(key string, units []byte) {
	if !b.p.opt.NoLabels {
		b.labelRow(labelRow{key: b.p.texts.of(key), text: b.p.texts.utf16(units)})
	}
}

// labelNum adds a number.
func (b *builder) labelNum(key string, num int64) {
	if !b.p.opt.NoLabels {
		b.labelRow(labelRow{key: b.p.texts.of(key), num: num, number: true})
	}
}

// nextLabel returns the position of the next label.
func (b *builder) nextLabel() uint32 { return uint32(b.p.labels.count) }

func (b *builder) labelRow(l labelRow) {
	const each = 24
	b.p.labels.add(l)
	if b.p.texts.bytes+each*int64(b.p.labels.count) > b.limits.Text {
		b.exceed("Text")
	}
}

// eventLabels adds the labels that a v6 event carries itself.
func (b *builder) eventLabels(ev *codec.Event) {
	for _, l := range ev.Labels() {
		switch l.Kind {
		case wire.LabelTraceID:
			b.labelText(keyTraceID, hex.EncodeToString(l.GUID[:]))
		case wire.LabelSpanID:
			b.labelText(keySpanID, hex.EncodeToString(binary.LittleEndian.AppendUint64(nil, l.Number)))
		case wire.LabelKeyString:
			b.labelText(l.Key, l.Value)
		case wire.LabelKeyNumber:
			if l.Key == clr.WokenAtLabel { // a time of the event, not what it has in common with others
				continue
			}
			b.labelNum(l.Key, int64(l.Number))
		}
	}
}
