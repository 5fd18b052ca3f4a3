package firefox

import (
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// category is what a thread does in a frame.
type category struct{ name, color string }

// categories are the categories, that of a State is its number plus 1. The viewer takes a
// grey one as the default.
var categories = []category{
	{"Other", "grey"}, {"Running", "green"}, {"Native", "yellow"}, {"Waiting", "transparent"}, {"Blocked", "red"}, {"Spinning", "brown"},
	{"Idle", "transparent"}, {"GC", "orange"}, {"Events", "blue"},
}

// The categories that are not states.
const (
	otherCategory  = 0
	gcCategory     = 7
	eventsCategory = 8
)

// tables are the tables that all threads share. A stack refers to the stack of its
// caller, which comes before it.
type tables struct {
	p      *profile.Profile
	names  *calltree.Names
	texts  []string
	byText map[string]int32

	stacks  map[[2]int32]int32 // by prefix and frame
	prefix  []int32
	frameOf []int32

	frames   map[[2]int32]int32 // by function and category
	function []int32
	category []int32

	resources map[string]int32 // by module
	resource  []int32          // texts
}

func newTables(p *profile.Profile, raw bool) *tables {
	return &tables{
		p: p, names: calltree.NewNames(p, calltree.Naming(raw)), byText: map[string]int32{}, stacks: map[[2]int32]int32{},
		frames: map[[2]int32]int32{}, resources: map[string]int32{},
	}
}

// text numbers a text.
func (t *tables) text(s string) int32 {
	n, known := t.byText[s]
	if !known {
		n = int32(len(t.texts))
		t.byText[s] = n
		t.texts = append(t.texts, s)
	}
	return n
}

// stack numbers a stack; no for one without frames. The category is that of the leaf: the
// callers of a waiting thread have the category of running.
func (t *tables) stack(id profile.StackID, leaf int32) int32 {
	at := int32(no)
	path := t.p.Stack(id)
	for i := len(path) - 1; i >= 0; i-- {
		category := int32(profile.Running) + 1
		if i == 0 {
			category = leaf
		}
		at = t.below(at, t.frame(int32(t.names.ID(path[i])), category))
	}
	return at
}

// below numbers the stack of a frame that a stack calls.
func (t *tables) below(prefix, frame int32) int32 {
	key := [2]int32{prefix, frame}
	n, known := t.stacks[key]
	if !known {
		n = int32(len(t.prefix))
		t.stacks[key] = n
		t.prefix, t.frameOf = append(t.prefix, prefix), append(t.frameOf, frame)
	}
	return n
}

func (t *tables) frame(function, category int32) int32 {
	key := [2]int32{function, category}
	n, known := t.frames[key]
	if !known {
		n = int32(len(t.function))
		t.frames[key] = n
		t.function, t.category = append(t.function, function), append(t.category, category)
	}
	return n
}

// write writes the tables.
func (t *tables) write(e *encoder) {
	functions := make([]int32, len(t.names.List))
	modules := make([]int32, len(t.names.List))
	for i, name := range t.names.List {
		functions[i], modules[i] = t.text(name.Text), no
		if name.Module == "" {
			continue
		}
		n, known := t.resources[name.Module]
		if !known {
			n = int32(len(t.resource))
			t.resources[name.Module] = n
			t.resource = append(t.resource, t.text(name.Module))
		}
		modules[i] = n
	}
	stacks, frames := len(t.prefix), len(t.function)
	e.table("{\"stackTable\":", stacks)
	e.numbers("frame", t.frameOf, no)
	e.numbers("prefix", t.prefix, no)
	e.table("},\n\"frameTable\":", frames)
	e.repeat("address", "-1", frames)
	e.repeat("inlineDepth", "0", frames)
	e.numbers("category", t.category, no)
	e.repeat("subcategory", "0", frames)
	e.numbers("func", t.function, no)
	for _, key := range []string{"nativeSymbol", "innerWindowID", "line", "column"} {
		e.repeat(key, "null", frames)
	}
	e.table("},\n\"funcTable\":", len(functions))
	e.numbers("name", functions, no)
	e.repeat("isJS", "false", len(functions))
	e.repeat("relevantForJS", "false", len(functions))
	e.numbers("resource", modules, no-1) // -1 is the viewer's none
	for _, key := range []string{"source", "lineNumber", "columnNumber"} {
		e.repeat(key, "null", len(functions))
	}
	e.table("},\n\"resourceTable\":", len(t.resource))
	e.repeat("lib", "null", len(t.resource))
	e.numbers("name", t.resource, no)
	e.repeat("host", "null", len(t.resource))
	e.repeat("type", "1", len(t.resource))
	e.text("},\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[]},\n" +
		"\"sources\":{\"length\":0,\"id\":[],\"filename\":[],\"startLine\":[],\"startColumn\":[],\"sourceMapURL\":[]},\n\"stringArray\":[")
	for i, s := range t.texts {
		e.separate(i)
		e.quote(s)
	}
	e.text("]}")
}

// table begins a table with its length.
func (e *encoder) table(begin string, length int) {
	e.text(begin + `{"length":`)
	e.number(int64(length))
}
