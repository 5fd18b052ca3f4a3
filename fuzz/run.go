package fuzz

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"
)

// target has the functions of all targets, made once.
var target = sync.OnceValue(functions)

// Targets returns the names of the fuzz targets.
func Targets() []string { return slices.Sorted(maps.Keys(target())) }

// Run calls the function of a fuzz target with the arguments that an input has, and
// panics if it fails. Engines that know bytes only use it, such as libFuzzer. An input
// has the arguments one after another: numbers in little endian, texts and slices
// with their size in two bytes, except the last one, which has all remaining bytes.
func Run(name string, input []byte) {
	function, found := target()[name]
	if !found {
		panic("fuzz: there is no target " + name)
	}
	value := reflect.ValueOf(function)
	args := []reflect.Value{reflect.ValueOf(testing.TB(failure{}))}
	value.Call(append(args, unpack(types(value.Type()), input)...))
}

// types returns the parameters of a function after the first one.
func types(function reflect.Type) (list []reflect.Type) {
	for i := 1; i < function.NumIn(); i++ {
		list = append(list, function.In(i))
	}
	return list
}

// failure is the test of a target that an engine runs which knows bytes only. Other
// methods of testing.TB than these are not called.
type failure struct{ testing.TB }

// Helper does nothing.
func (failure) Helper() {}

// Fatalf panics.
func (failure) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
