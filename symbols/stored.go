package symbols

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nettrace-go/nettrace/codec"
	events "github.com/nettrace-go/nettrace/codec/clr"
	clr "github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/symbols/clrfile"
)

// Record is an event that stores in a trace what a Resolver found in files, so that no reader of
// the trace needs them again.
type Record struct {
	Process uint64 // key of the process, as in clr.Query
	// Metadata describes the event. Records of one type have the same.
	Metadata *codec.Metadata
	Payload  []byte // the encoded fields
}

// The types of the records, each made when the first of its records is.
var (
	sourceFileType   = made(events.KindSourceFile, "SourceFile", "ModuleID:8 Number:4 FilePath")
	methodSourceType = made(events.KindMethodSource, "MethodSource",
		"ModuleID:8 Token:4 Part:4 MethodNamespace MethodName MethodSignature Points Effects")
	imageMethodType = made(events.KindImageMethod, "ImageMethod",
		"MethodID:8 ModuleID:8 StartAddress:8 Size:4 Token:4 Flags:4 MethodNamespace MethodName MethodSignature")
	imageMapType     = made(events.KindImageMap, "ImageMap", "StartAddress:8 Size:4 Points")
	nativeSymbolType = made(events.KindNativeSymbol, "NativeSymbol", "ModuleID:8 StartAddress:8 EndAddress:8 Managed:4 SymbolName ShownName")
)

// made returns a function that describes an event when it is called first.
func made(kind events.Kind, name, fields string) func() *codec.Metadata {
	return sync.OnceValue(func() *codec.Metadata { return recordType(kind, name, fields) })
}

// recordType describes an event by its fields: names of numbers with their sizes in bytes, and of
// texts.
func recordType(kind events.Kind, name, fields string) *codec.Metadata {
	m := &codec.Metadata{Provider: events.CollectorProvider, EventID: kind.ID(), Version: 1, Level: 4, Name: name}
	for f := range strings.FieldsSeq(fields) {
		name, size, _ := strings.Cut(f, ":")
		code := wire.NullTerminatedUTF16String
		switch size {
		case "4":
			code = wire.UInt32
		case "8":
			code = wire.UInt64
		}
		m.Fields = append(m.Fields, codec.Field{Name: name, Type: codec.Type{Code: code}})
	}
	return m
}

// Records returns what the Resolver has found in files for the addresses that it was asked about,
// in a fixed order. What the trace itself stores of a module is in it too.
func (r *Resolver) Records() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for _, m := range r.sortedModules() {
			if !r.modules[m].records(m, yield) {
				return
			}
		}
		r.imageRecords(yield)
	}
}

// sortedModules returns the modules whose files were looked for.
func (r *Resolver) sortedModules() []*clr.Module {
	return slices.SortedFunc(maps.Keys(r.modules), func(a, b *clr.Module) int {
		return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Path, b.Path))
	})
}

// longestPart is the number of characters of a text of a record: payloads of more than 64 KB are
// beyond what some readers of traces accept.
const longestPart = 12_000

// records returns the source files of a module and the sources of its methods.
func (f *moduleFiles) records(m *clr.Module, yield func(Record) bool) bool {
	if !f.hasSource() {
		return true
	}
	files := map[uint32]bool{}
	for _, token := range slices.Sorted(maps.Keys(f.points)) {
		points := f.points[token]
		for i := range points {
			if d := points[i].Document; !points[i].Hidden() && !files[d] {
				files[d] = true
				fields := events.SourceFileFields{ModuleID: m.ID, Number: d, FilePath: f.document(d)}
				if !yield(Record{m.Process, sourceFileType(), fields.Append(nil, 1, 8)}) {
					return false
				}
			}
		}
		fields := events.MethodSourceFields{ModuleID: m.ID, Token: token}
		if named := f.inlined[token]; named != nil {
			fields.MethodNamespace, fields.MethodName, fields.MethodSignature = named.Namespace, named.Method, named.Signature
		}
		texts := [2]string{pointsText(points), f.effectsText(token)}
		for part := uint32(0); part == 0 || texts[0] != "" || texts[1] != ""; part++ {
			fields.Part = part
			fields.Points, texts[0] = cutText(texts[0])
			fields.Effects, texts[1] = cutText(texts[1])
			if !yield(Record{m.Process, methodSourceType(), fields.Append(nil, 1, 8)}) {
				return false
			}
		}
	}
	return true
}

// cutText returns the first part of a text and the rest.
func cutText(text string) (part, rest string) {
	if len(text) <= longestPart {
		return text, ""
	}
	at := longestPart
	for at > 0 && text[at]&0xC0 == 0x80 { // within a character
		at--
	}
	return text[:at], text[at:]
}

// imageRecords returns the methods and maps of images, and the functions of native programs.
func (r *Resolver) imageRecords(yield func(Record) bool) {
	for _, m := range r.sortedModules() {
		f := r.modules[m]
		for _, at := range slices.Sorted(maps.Keys(f.named)) {
			if c := f.named[at]; c != nil {
				fields := events.ImageMethodFields{
					ModuleID: m.ID, StartAddress: c.Start, Size: c.Size, Token: c.Token,
					MethodNamespace: c.symbol.Namespace, MethodName: c.symbol.Method, MethodSignature: c.symbol.Signature,
				}
				if !yield(Record{m.Process, imageMethodType(), fields.Append(nil, 1, 8)}) {
					return
				}
			}
		}
	}
	codes := slices.SortedFunc(maps.Keys(r.maps), func(a, b *clr.Code) int {
		return cmp.Or(cmp.Compare(a.Module.Process, b.Module.Process), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Token, b.Token))
	})
	for _, c := range codes {
		if points := r.maps[c].points; c.Precompiled && len(points) > 0 {
			fields := events.ImageMapFields{StartAddress: c.Start, Size: c.Size, Points: string(clr.AppendMap(nil, points))}
			if len(fields.Points) > longestPart {
				continue
			}
			if !yield(Record{c.Module.Process, imageMapType(), fields.Append(nil, 1, 8)}) {
				return
			}
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(r.natives), compareNatives) {
		n, managed := r.natives[key], uint32(0)
		if n.managed {
			managed = 1
		}
		fields := events.NativeSymbolFields{
			ModuleID: key.module.ID, StartAddress: n.start, EndAddress: n.start + n.size, Managed: managed,
			SymbolName: n.symbol.Method, ShownName: n.shown,
		}
		if !yield(Record{key.module.Process, nativeSymbolType(), fields.Append(nil, 1, 8)}) {
			return
		}
	}
}

func compareNatives(a, b nativeKey) int {
	return cmp.Or(cmp.Compare(a.module.Process, b.module.Process), cmp.Compare(a.module.ID, b.module.ID), cmp.Compare(a.address, b.address))
}

// pointsText is the text of sequence points: IL offset, line and number of the file of each; of a
// hidden one the IL offset alone.
func pointsText(points []clrfile.Point) string {
	var b []byte
	for i := range points {
		p := &points[i]
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendUint(b, uint64(p.IL), 10)
		if p.Hidden() {
			continue
		}
		b = strconv.AppendUint(append(b, ':'), uint64(p.Line), 10)
		b = strconv.AppendUint(append(b, ':'), uint64(p.Document), 10)
	}
	return string(b)
}

// parsePoints reads the text of sequence points; nil if it is malformed.
func parsePoints(text string) []clrfile.Point {
	var points []clrfile.Point
	for one := range strings.FieldsSeq(text) {
		var numbers [3]uint32
		n := 0
		for field := range strings.SplitSeq(one, ":") {
			v, err := strconv.ParseUint(field, 10, 32)
			if err != nil || n == len(numbers) {
				return nil
			}
			numbers[n] = uint32(v)
			n++
		}
		points = append(points, clrfile.Point{IL: numbers[0], Line: numbers[1], EndLine: numbers[1], Document: numbers[2]})
	}
	return points
}

// effectLetters are the kinds of effects in texts.
var effectLetters = [...]byte{clrfile.Throws: 't', clrfile.Faults: 'f', clrfile.Calls: 'c', clrfile.Indirect: 'i'}

// effectsText is the text of the ranges of a method whose exceptions it catches, and of the effects
// in them, with tabs between: "4-27" a range, "9t" an effect, "12cWork" a call. It is empty
// if the method catches nothing, or its IL is not known.
func (f *moduleFiles) effectsText(token uint32) string {
	body, ok := f.bodyOf(token)
	if !ok || len(body.Protected) == 0 {
		return ""
	}
	var parts []string
	for _, r := range body.Protected {
		parts = append(parts, strconv.FormatUint(uint64(r.From), 10)+"-"+strconv.FormatUint(uint64(r.To), 10))
	}
	for _, e := range body.Effects {
		if strings.Contains(e.Call, "\t") {
			e = clrfile.Effect{IL: e.IL, Kind: clrfile.Indirect}
		}
		parts = append(parts, strconv.FormatUint(uint64(e.IL), 10)+string(effectLetters[e.Kind])+e.Call)
	}
	return strings.Join(parts, "\t")
}

// parseEffects reads the text of effects; nil if it is empty or malformed.
func parseEffects(text string) *clrfile.Body {
	b := &clrfile.Body{}
	for part := range strings.SplitSeq(text, "\t") {
		at := strings.IndexFunc(part, func(c rune) bool { return c < '0' || c > '9' })
		if at < 0 {
			return nil
		}
		first, err := strconv.ParseUint(part[:at], 10, 32)
		if err != nil {
			return nil
		}
		if part[at] == '-' {
			to, err := strconv.ParseUint(part[at+1:], 10, 32)
			if err != nil {
				return nil
			}
			b.Protected = append(b.Protected, clrfile.Range{From: uint32(first), To: uint32(to)})
			continue
		}
		kind := slices.Index(effectLetters[:], part[at])
		if kind < 0 {
			return nil
		}
		b.Effects = append(b.Effects, clrfile.Effect{IL: uint32(first), Kind: clrfile.EffectKind(kind), Call: part[at+1:]})
	}
	return b
}
