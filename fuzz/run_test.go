package fuzz

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// seedsFolder is the variable with the folder into which the targets write their seeds
// instead of running them.
const seedsFolder = "NETTRACE_FUZZ_SEEDS"

// fuzz runs the function of the target that calls it, which has the name of f.
func fuzz(f *testing.F) {
	f.Helper()
	name, folder := f.Name(), os.Getenv(seedsFolder)
	function, found := target()[name]
	if !found {
		f.Fatalf("%s is not in the table of functions", name)
	}
	value := reflect.ValueOf(function)
	params := append([]reflect.Type{reflect.TypeFor[*testing.T]()}, types(value.Type())...)
	f.Fuzz(reflect.MakeFunc(reflect.FuncOf(params, nil, false), func(args []reflect.Value) []reflect.Value {
		if folder != "" {
			writeSeed(args[0].Interface().(*testing.T), filepath.Join(folder, name), args[1:])
			return nil
		}
		return value.Call(args)
	}).Interface())
}

// writeSeed writes the arguments of a target into files for libFuzzer.
func writeSeed(t *testing.T, folder string, args []reflect.Value) {
	t.Helper()
	input, err := pack(args)
	expect.NoError(t, err)
	expect.NoError(t, os.MkdirAll(folder, 0o755))
	sum := sha256.Sum256(input)
	for form, content := range libFuzzerForms(input) {
		path := filepath.Join(folder, fmt.Sprintf("%x.%s", sum[:8], form))
		expect.NoError(t, os.WriteFile(path, content, 0o644))
	}
}

// libFuzzerForms returns the files from which go-118-fuzz-build makes the slice of
// bytes that a target takes: in older versions of that tool the slice comes after its
// size, in newer ones after one byte, the share of the slice among several.
func libFuzzerForms(input []byte) map[string][]byte {
	return map[string][]byte{
		"size":  append(binary.BigEndian.AppendUint32(nil, uint32(len(input))), input...),
		"share": append([]byte{1}, input...),
	}
}

// TestLibFuzzerForms compares the files of an input.
func TestLibFuzzerForms(t *testing.T) {
	forms := libFuzzerForms([]byte("abc"))
	expect.Bytes(t, "size", forms["size"], []byte("\x00\x00\x00\x03abc"))
	expect.Bytes(t, "share", forms["share"], []byte("\x01abc"))
}

// TestTargets compares the table with the fuzz targets of this package and of
// libfuzzer.
func TestTargets(t *testing.T) {
	for _, pattern := range []string{"*_test.go", "../dev/libfuzzer/*_test.go"} {
		t.Run(pattern, func(t *testing.T) {
			files, err := filepath.Glob(pattern)
			expect.NoError(t, err)
			var want []string
			for _, name := range files {
				want = append(want, targetsIn(t, name)...)
			}
			slices.Sort(want)
			expect.Slices(t, "targets", Targets(), want)
		})
	}
}

// targetsIn returns the names of the fuzz targets in a file.
func targetsIn(t *testing.T, file string) (names []string) {
	t.Helper()
	syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	expect.NoError(t, err)
	for _, decl := range syntax.Decls {
		if function, is := decl.(*ast.FuncDecl); is && strings.HasPrefix(function.Name.Name, "Fuzz") {
			names = append(names, function.Name.Name)
		}
	}
	return names
}

// TestLibFuzzerTargets checks that each target of libfuzzer runs the one of its name.
func TestLibFuzzerTargets(t *testing.T) {
	text, err := os.ReadFile("../dev/libfuzzer/targets_test.go")
	expect.NoError(t, err)
	for _, name := range Targets() {
		expect.Contains(t, "libfuzzer/targets_test.go", string(text),
			"func "+name+"(f *testing.F) {\n\tf.Fuzz(func(t *testing.T, input []byte) { fuzz.Run(\""+name+"\", input) })\n}\n")
	}
}

// TestPack packs arguments and unpacks them.
func TestPack(t *testing.T) {
	for _, c := range []struct {
		name string
		args []any
		want string
	}{
		{"bytes", []any{[]byte("abc")}, "abc"},
		{"no bytes", []any{[]byte{}}, ""},
		{"three slices", []any{[]byte("ab"), []byte{}, []byte("c")}, "\x02\x00ab\x00\x00c"},
		{"slice and byte", []any{[]byte("ab"), byte(7)}, "\x02\x00ab\x07"},
		{"slice and number", []any{[]byte("a"), uint16(0x0102)}, "\x01\x00a\x02\x01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var args []reflect.Value
			var types []reflect.Type
			for _, arg := range c.args {
				args, types = append(args, reflect.ValueOf(arg)), append(types, reflect.TypeOf(arg))
			}
			got, err := pack(args)
			expect.NoError(t, err)
			expect.Bytes(t, "input", got, []byte(c.want))
			for i, arg := range unpack(types, got) {
				expect.Equal(t, fmt.Sprint("argument ", i), fmt.Sprint(arg.Interface()), fmt.Sprint(c.args[i]))
			}
		})
	}
}

// TestUnpackAnything unpacks inputs that are too short.
func TestUnpackAnything(t *testing.T) {
	list := []reflect.Type{reflect.TypeFor[[]byte](), reflect.TypeFor[uint16](), reflect.TypeFor[[]byte]()}
	for _, c := range []struct{ name, input, want string }{
		{"nothing", "", "[] 0 []"},
		{"half a size", "\x05", "[] 0 []"},
		{"a size that is too large", "\x05\x00ab", "[97 98] 0 []"},
		{"half a number", "\x01\x00a\x07", "[97] 7 []"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := unpack(list, []byte(c.input))
			expect.Equal(t, "arguments", fmt.Sprint(args[0], args[1], args[2]), c.want)
		})
	}
}

// TestRunFails: Run panics where a test would fail, and for an unknown target.
func TestRunFails(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"unknown target", func() { Run("FuzzNothing", nil) }},
		{"Fatalf", func() { failure{}.Fatalf("%d", 1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			c.run()
		})
	}
}
