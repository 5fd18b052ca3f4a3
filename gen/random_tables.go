package gen

import (
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

func number(n uint64) string { return strconv.FormatUint(n, 10) }

// alphabet has characters of one to four bytes in UTF-8, and of two code units
// in UTF-16.
var alphabet = []rune("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789 .-+()äéßøλЖ中文字語한😀𝄞")

// text returns up to k characters.
func (r *random) text(k int) string {
	s := make([]rune, r.n(k+1))
	for i := range s {
		s[i] = alphabet[r.n(len(alphabet))]
	}
	return string(s)
}

// name returns a text that was not used before.
func (r *random) name() string {
	r.names++
	return r.text(6) + "n" + strconv.Itoa(r.names)
}

// pairs returns up to k pairs with different keys.
func (r *random) pairs(k int) []codec.KeyValue {
	var list []codec.KeyValue
	for range r.n(k + 1) {
		list = append(list, codec.KeyValue{Key: r.name(), Value: r.text(12)})
	}
	return list
}

// providers are the names among which metadata rows choose.
var providers = []string{"Contoso-Runtime", "Contoso.Threading.Tasks", "Größe", "p"}

// defineMetadata defines n event types.
func (r *random) defineMetadata(n int) {
	for range n {
		m := &codec.Metadata{
			Provider: providers[r.n(len(providers))], EventID: uint32(r.n(1 << 16)), Name: r.name(),
			Version: uint32(r.n(256)), Level: uint32(r.n(6)),
		}
		if r.one(6) {
			m.ID = r.b.nextMetadata + uint32(r.bits(27))
		}
		m.Keywords = r.bits(64)
		m.Fields = r.fields(r.n(6), 0)
		r.tags(m)
		r.b.Metadata(m)
		r.metadata = append(r.metadata, m)
	}
}

// tags chooses properties that only v5 and v6 have.
func (r *random) tags(m *codec.Metadata) {
	if !r.format.HasOpcodes() {
		return
	}
	if r.one(2) {
		m.Opcode, m.OpcodeSet = uint8(1+r.n(255)), true
	}
	if r.format.HasTags() {
		m.V2Params = holdsArray(m.Fields) || r.one(8)
		return
	}
	if r.one(3) {
		m.Message = "at " + r.text(10)
		if len(m.Fields) > 0 {
			m.Message += " {" + m.Fields[0].Name + "}"
		}
	}
	if r.one(3) {
		m.Description = r.text(20)
	}
	m.Attributes = r.pairs(2)
	if guid, ok := r.guids[m.Provider]; ok {
		m.ProviderGUID = guid
	} else {
		if r.one(2) {
			m.ProviderGUID = r.guid()
		}
		r.guids[m.Provider] = m.ProviderGUID
	}
}

func holdsArray(fields []codec.Field) bool {
	return slices.ContainsFunc(fields, func(f codec.Field) bool {
		return f.Type.Code == wire.Array || holdsArray(f.Type.Fields)
	})
}

// defineThreads makes sure that there are threads.
func (r *random) defineThreads() {
	for n := r.n(3); len(r.threads) == 0 || n > 0; n-- {
		index := r.bits(64)
		if slices.Contains(r.threads, index) {
			continue
		}
		r.threads = append(r.threads, index)
		t := &codec.Thread{Index: index, Attributes: r.pairs(2)}
		if r.one(2) {
			t.Name = r.name()
		}
		if r.one(2) {
			t.ProcessID, t.HasProcessID = r.bits(64), true
		}
		if r.one(2) {
			t.ThreadID, t.HasThreadID = r.bits(64), true
		}
		r.b.Thread(t)
	}
}

// defineStacks defines some stacks, the empty one among them.
func (r *random) defineStacks() {
	if r.one(8) {
		r.b.Skip(uint32(r.n(1000)))
	}
	for range r.n(4) {
		stack := make([]uint64, r.n(5))
		for i := range stack {
			stack[i] = 1 + r.bits(8*r.head.PointerSize-2)
		}
		r.stacks = append(r.stacks, r.b.Stack(stack))
	}
}

// defineLabels defines some label lists.
func (r *random) defineLabels() {
	for range r.n(3) {
		var list []codec.Label
		for len(list) == 0 {
			list = r.labelList()
		}
		r.labels = append(r.labels, r.b.Labels(list...))
	}
}

// labelList makes a list with at most one label of each kind without a key.
func (r *random) labelList() []codec.Label {
	var list []codec.Label
	for kind := wire.LabelActivityID; kind <= wire.LabelVersion; kind++ {
		if !r.one(4) {
			continue
		}
		l := codec.Label{Kind: kind}
		switch kind {
		case wire.LabelActivityID, wire.LabelRelatedActivityID, wire.LabelTraceID:
			l.GUID = r.guid()
		case wire.LabelSpanID:
			if !slices.ContainsFunc(list, func(l codec.Label) bool { return l.Kind == wire.LabelTraceID }) {
				continue
			}
			l.Number = 1 + r.bits(63)
		case wire.LabelKeyString:
			l.Key, l.Value = r.name(), r.text(10)
		case wire.LabelKeyNumber:
			l.Key, l.Number = r.name(), r.bits(64)
		case wire.LabelKeywords:
			l.Number = r.bits(64)
		case wire.LabelLevel:
			l.Number = uint64(r.n(6))
		default:
			l.Number = uint64(r.n(256))
		}
		list = append(list, l)
	}
	for i := len(list) - 1; i > 0; i-- {
		j := r.n(i + 1)
		list[i], list[j] = list[j], list[i]
	}
	return list
}
