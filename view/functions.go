package view

import (
	"strings"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/profile"
)

// texts numbers texts in the order of their first use.
type texts struct {
	list  []string
	known map[string]int64
}

// newTexts returns a list with these texts.
func newTexts(first ...string) *texts {
	t := &texts{list: []string{}, known: map[string]int64{}}
	for _, text := range first {
		t.of(text)
	}
	return t
}

// of returns the index of a text.
func (t *texts) of(text string) int64 {
	at, ok := t.known[text]
	if !ok {
		at = int64(len(t.list))
		t.list = append(t.list, text)
		t.known[text] = at
	}
	return at
}

// functions writes the columns of the functions.
type functions struct {
	p       *profile.Profile
	helpers []helper

	ids                             map[profile.FunctionID]int64
	names                           map[[2]string]int64
	nameList                        []string
	modules, namespaces, assemblies *texts
	otherTypes                      *texts

	name, module, namespace, assembly, typ, flags column
}

// helper is the flag of the functions that are folded in samples of a type.
type helper struct {
	of   profile.Type
	flag int64
}

func newFunctions(p *profile.Profile, helpers []helper) *functions {
	return &functions{
		p: p, helpers: helpers, ids: map[profile.FunctionID]int64{}, names: map[[2]string]int64{}, nameList: []string{},
		modules: newTexts(""), namespaces: newTexts(), assemblies: newTexts(), otherTypes: newTexts(),
		name: column{name: "function.name"}, module: column{name: "function.module"}, namespace: column{name: "function.namespace"},
		assembly: column{name: "function.assembly"}, typ: column{name: "function.type"}, flags: column{name: "function.flags"},
	}
}

// of returns the number of a function.
func (f *functions) of(id profile.FunctionID) int64 {
	at, ok := f.ids[id]
	if !ok {
		at = int64(len(f.ids))
		f.ids[id] = at
		f.add(id)
	}
	return at
}

// add adds a row for a function.
func (f *functions) add(id profile.FunctionID) {
	function := f.p.Function(id)
	f.name.add(f.nameOf(function))
	f.module.add(f.modules.of(function.Module))
	f.namespace.add(f.namespaces.of(profile.GroupNamespace.Of(function)))
	f.assembly.add(f.assemblies.of(profile.GroupAssembly.Of(function)))
	f.typ.add(f.typeOf(function))
	flags := int64(0)
	if profile.IsFramework(function) {
		flags |= FlagFramework
	}
	if f.p.IsSynthesized(id) {
		flags |= FlagSynthesized
	}
	for _, h := range f.helpers {
		if f.p.IsHelper(h.of, id) {
			flags |= h.flag
		}
	}
	f.flags.add(flags)
}

// typeOf returns where the name of the type that declares a function is: the length of the
// part of the function's name, -1 less the index in otherTypes, or 0 without a type.
func (f *functions) typeOf(function *profile.Function) int64 {
	if function.Symbol == nil || function.Symbol.Namespace == "" {
		return 0
	}
	name := function.Symbol.TypeName()
	if strings.HasPrefix(function.Name, name+".") {
		return int64(len(utf16.Encode([]rune(name))))
	}
	return -1 - f.otherTypes.of(name)
}

// nameOf returns the number of a function's two names.
func (f *functions) nameOf(function *profile.Function) int64 {
	key := [2]string{function.Name, function.RawName}
	at, ok := f.names[key]
	if !ok {
		at = int64(len(f.nameList))
		f.names[key] = at
		f.nameList = append(f.nameList, function.Name, function.RawName)
	}
	return at
}

func (f *functions) columns() []*column {
	return []*column{&f.name, &f.module, &f.namespace, &f.assembly, &f.typ, &f.flags}
}
