package symbols

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
)

// Code is one native body of a method: a method that is compiled several times,
// for other tiers, has several. A Table with Options.Lines has it for the frames
// of methods. All callers share it and must not modify it.
type Code struct {
	// Start is the address of the first instruction, and Size the number of bytes.
	Start uint64
	Size  uint32 // see Start
	// Token is the MethodDef token of the method in its module; 0 for code that the
	// runtime makes without metadata.
	Token uint32
	// Module is the module of the method, without a path if the trace has no row of it.
	Module *Module
	// Precompiled reports that the code comes from an image that was compiled ahead
	// of time (ready-to-run): the runtime has no map of such code.
	Precompiled bool
	// Tier is the kind of compilation.
	Tier Tier
	// Map has the points where the runtime knows the IL offset, sorted by native
	// offset; nil if the trace has none.
	Map []ILPoint
	// Inlines has the code of inlined methods; nil if the trace has none.
	Inlines *Inlines

	key codeKey
}

// Tier is how the runtime compiled a body, bits 7 to 9 of MethodFlags.
type Tier uint8

// The tiers, as MethodLoad numbers them.
const (
	TierUnknown       Tier = iota
	TierMinOpt             // compiled once, without optimization
	TierOptimized          // compiled once, with optimization
	Tier0                  // the first compilation of a method that can be compiled again
	Tier1                  // the optimized compilation of a method that was called often
	TierOSR                // compiled while the method was in a loop
	Tier0Instrumented      // Tier0 with counters
	Tier1Instrumented      // Tier1 with counters
)

// Optimized reports whether the compiler may have moved and merged statements.
func (c *Code) Optimized() bool {
	return c.Precompiled || c.Tier == TierOptimized || c.Tier == Tier1 || c.Tier == TierOSR || c.Tier == Tier1Instrumented
}

// Special IL offsets of ILPoint.
const (
	NoMapping = 0xFFFFFFFF // code that belongs to no IL
	Prolog    = 0xFFFFFFFE // the beginning of the method or of one of its handlers
	Epilog    = 0xFFFFFFFD // the end of the method or of one of its handlers
)

// ILPoint says that the code from a native offset on is that of an IL offset.
type ILPoint struct {
	Native uint32 // offset from Code.Start
	IL     uint32 // offset in the method's IL, or NoMapping, Prolog or Epilog
}

// Inlines are the methods that were inlined into a body, with maps of their own.
type Inlines struct {
	// Methods are the body's method and the inlined ones. Method 0 is the body's.
	Methods []InlinedMethod
	Points  []InlinePoint // sorted by native offset
}

// InlinedMethod is a method within a body.
type InlinedMethod struct {
	Parent int // index in Methods of the method that calls it; -1 for the body's
	// Symbol names the method; nil if the trace does not have its name.
	Symbol *Symbol
	Token  uint32  // MethodDef token, 0 if unknown
	Module *Module // that declares it, nil if unknown
}

// InlinePoint says that the code from a native offset on is that of an IL offset
// of a method in Inlines.Methods.
type InlinePoint struct {
	Native, IL uint32 // as in ILPoint
	Method     int    // index in Inlines.Methods
}

// codeKey identifies a body.
type codeKey struct {
	start  uint64
	method uint64 // the runtime's id
	body   uint64 // ReJITID: the runtime's id of the body
	size   uint32
	token  uint32
	flags  uint32
	module uint32
}

// bodyKey identifies the maps of a body, see codeKey.
type bodyKey struct{ method, body uint64 }

// Flags of methods: of one that the runtime makes without metadata, of one that was compiled in this
// process, and of a helper of the runtime.
const (
	dynamic = 1 << 0
	jitted  = 1 << 3
	helper  = 1 << 4
)

// maxWitnesses is the number of bodies of an image that Precompiled returns.
const maxWitnesses = 8

// addWitness keeps a body of an image, also if no stack has an address in it: it
// shows where the image is in memory.
func (t *Table) addWitness(s *space, c *code) {
	if !t.lines || c.flags&(dynamic|jitted|helper) != 0 {
		return
	}
	module := t.module(s, c.module)
	if t.witnesses[module] < maxWitnesses {
		t.witnesses[module]++
		k := codeKey{start: c.start, size: c.size, method: c.method, token: c.token, flags: c.flags, module: module}
		t.precompiled = append(t.precompiled, &Code{
			Start: c.start, Size: c.size, Token: c.token, Module: t.modules[module], Precompiled: true, key: k,
		})
		t.hold(codeSize)
	}
}

// Precompiled returns some bodies of each image whose code was compiled ahead of time,
// with Options.Lines: they tell where the images are in memory.
func (t *Table) Precompiled() []*Code { return t.precompiled }

// codeNumber returns the number of a body, plus one.
func (t *Table) codeNumber(k codeKey) uint32 {
	n, known := t.codeNumbers[k]
	if !known {
		t.codes = append(t.codes, &Code{key: k})
		n = uint32(len(t.codes))
		t.codeNumbers[k] = n
		t.hold(codeSize)
	}
	return n
}

// codeSize estimates the memory of a body.
const codeSize = 192

// code completes a body, once.
func (t *Table) code(s *space, number uint32) *Code {
	if number == 0 {
		return nil
	}
	c := t.codes[number-1]
	if c.Module != nil {
		return c
	}
	k := &c.key
	c.Start, c.Size, c.Module = k.start, k.size, t.modules[k.module]
	c.Precompiled = k.flags&jitted == 0
	if k.flags&dynamic == 0 {
		c.Token = k.token
	}
	if !c.Precompiled {
		c.Tier = Tier(k.flags >> 7 & 7)
	}
	b := bodyKey{k.method, k.body}
	c.Map = readMap(s.maps[b])
	if c.Map == nil && c.Precompiled {
		c.Map = parseMap(s.imageMaps[c.Start])
	}
	c.Inlines = t.readInlines(s, s.inlines[b])
	return c
}

// The position of the map's entries in MethodILToNativeMap: MethodID, ReJITID, extent, number.
const mapAt = 8 + 8 + 1 + 2

// takeMap keeps MethodILToNativeMap: MethodID, ReJITID, a byte, the number n of
// entries in two bytes, n IL offsets and n native ones.
func takeMap(t *Table, e *codec.Event, p *payload) bool {
	if !t.lines {
		return true
	}
	k := bodyKey{p.uint64(), p.uint64()}
	p.skip(1)
	n := int(p.uint16())
	if p.skip(8 * n); p.bad() {
		return false
	}
	s := t.space(Process(e))
	if s.maps == nil {
		s.maps = map[bodyKey][]byte{}
	}
	if _, known := s.maps[k]; !known {
		s.maps[k] = slices.Clone(p.b[mapAt : mapAt+8*n])
		t.hold(rowSize + 8*n)
	}
	return true
}

// readMap reads the entries of a map: the runtime sorts them by IL offset.
func readMap(b []byte) []ILPoint {
	n := len(b) / 8
	if n == 0 {
		return nil
	}
	points := make([]ILPoint, n)
	il, native := payload{b: b}, payload{b: b, pos: 4 * n}
	for i := range points {
		points[i] = ILPoint{IL: il.uint32(), Native: native.uint32()}
	}
	slices.SortStableFunc(points, func(a, b ILPoint) int { return cmp.Compare(a.Native, b.Native) })
	return points
}
