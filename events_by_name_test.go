package nettrace_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr"
)

// byName are the folders whose code reads the events of .NET by the names of package
// clr: without numbers of events and without positions in payloads.
var byName = []string{"profile", "analysis", "model", "heap", "codec/clr/symbols", "eventpipe/record", "eventpipe/provider", "gen", "internal/recording", "internal/sampling"}

// byPosition are the files that still read payloads by position or know numbers of
// events, and why.
var byPosition = map[string]string{
	"codec/clr/symbols/batch.go":   "keeps the part of a payload before the names, for the speed of a rundown",
	"codec/clr/symbols/payload.go": "the cursor by which that package reads payloads, which counts what is malformed",
	"heap/payload.go":              "the cursor by which that package reads the rows of bulk events",
	"eventpipe/record/names.go":    "the place of a key in payloads that it keeps as they are",
	"eventpipe/record/coverage.go": "the same, in rows without an Event",
	"eventpipe/record/file.go":     "the header of a stream, no event",
}

// TestEventsByName reports code that compares or lists the numbers of .NET's events,
// writes the names of their providers, or reads payloads by position.
func TestEventsByName(t *testing.T) {
	providers := map[string]bool{}
	for kind := range clr.Kinds() {
		providers[kind.Provider()] = true
	}
	found := map[string]bool{}
	for _, folder := range byName {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			path = filepath.ToSlash(path)
			for _, node := range positional(file, providers, folder != "gen") {
				if found[path] = true; byPosition[path] == "" {
					t.Errorf("%v: reads an event by its number, its position or the name of its provider: use package codec/clr", set.Position(node.Pos()))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for path := range byPosition {
		if !found[path] {
			t.Errorf("%s reads events by name now: remove it from byPosition", path)
		}
	}
}

// TestPositional tries code that reads by position and other code.
func TestPositional(t *testing.T) {
	for code, want := range map[string]int{
		`if m.EventID == 80 {}`:                           1,
		`switch m.EventID { case 1, 2: }`:                 1,
		`_ = m.EventID >= first`:                          1,
		`_ = table[m.EventID]`:                            1,
		`_ = codec.Metadata{EventID: 9}`:                  1,
		`const p = "Microsoft-Windows-DotNETRuntime"`:     1,
		`_ = binary.LittleEndian.Uint32(payload[24:])`:    1,
		`_ = wire.Uint32(p.b, p.pos)`:                     1,
		`_ = codec.Metadata{EventID: kind.ID()}`:          0,
		`_ = codec.Metadata{Provider: "Own", EventID: 1}`: 0,
		`_ = key{m.Provider, m.EventID}`:                  0,
		`_ = clr.GCStart(ev).Number()`:                    0,
		`if m.EventID == asked.EventID {}`:                0,
		`if m.EventID == o.Event {}`:                      0,
		`_ = binary.LittleEndian.AppendUint32(nil, n)`:    0,
	} {
		t.Run(code, func(t *testing.T) {
			countFound(t, code, func(file *ast.File) []ast.Node {
				return positional(file, map[string]bool{clr.RuntimeProvider: true}, true)
			}, want)
		})
	}
}

// positional returns the expressions in a file that depend on the number of an event,
// name a provider, or, if decodes is set, read a number at a position.
func positional(file *ast.File, providers map[string]bool, decodes bool) []ast.Node {
	var found []ast.Node
	ast.Inspect(file, func(node ast.Node) bool {
		is := false
		switch node := node.(type) {
		case *ast.BinaryExpr:
			is = isEventID(node.X) && isConstant(node.Y) || isEventID(node.Y) && isConstant(node.X)
		case *ast.SwitchStmt:
			is = node.Tag != nil && isEventID(node.Tag)
		case *ast.IndexExpr:
			is = isEventID(node.Index)
		case *ast.CompositeLit:
			is = numbered(node, providers)
		case *ast.BasicLit:
			is = node.Kind == token.STRING && providers[strings.Trim(node.Value, "`\"")]
		case *ast.CallExpr:
			is = decodes && readsNumber(node.Fun)
		}
		if is {
			found = append(found, node)
		}
		return true
	})
	return found
}

func isEventID(e ast.Expr) bool {
	s, ok := ast.Unparen(e).(*ast.SelectorExpr)
	return ok && s.Sel.Name == "EventID"
}

// isConstant reports whether an expression can be a constant: a number or a name.
func isConstant(e ast.Expr) bool {
	switch ast.Unparen(e).(type) {
	case *ast.BasicLit, *ast.Ident:
		return true
	}
	return false
}

// numbered reports whether a literal has a number as EventID, and not an own provider.
func numbered(l *ast.CompositeLit, providers map[string]bool) bool {
	is, own := false, false
	for _, e := range l.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		value, isLiteral := kv.Value.(*ast.BasicLit)
		switch key, _ := kv.Key.(*ast.Ident); {
		case key == nil || !isLiteral:
		case key.Name == "EventID":
			is = true
		case key.Name == "Provider":
			own = !providers[strings.Trim(value.Value, `"`)]
		}
	}
	return is && !own
}

// readsNumber reports whether a function of package wire or binary reads a number.
func readsNumber(fun ast.Expr) bool {
	s, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	switch s.Sel.Name {
	case "Uint16", "Uint32", "Uint64", "VarUint64":
	default:
		return false
	}
	switch x := s.X.(type) {
	case *ast.Ident:
		return x.Name == "wire"
	case *ast.SelectorExpr:
		return x.Sel.Name == "LittleEndian"
	}
	return false
}
