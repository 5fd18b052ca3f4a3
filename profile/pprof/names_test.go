package pprof_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// pprof's web pages shorten function names: they remove the matches of these
// expressions except the group, and in narrow boxes show only the part after a
// separator.
var (
	shortened = []*regexp.Regexp{
		regexp.MustCompile(`^(?:[\w\-\.]+\/)+([^.]+\..+)`),                                                  // Go
		regexp.MustCompile(`^(?:[a-z]\w*\.)*([A-Z][\w\$]*\.(?:<init>|[a-z][\w\$]*(?:\$\d+)?))(?:(?:\()|$)`), // Java
		regexp.MustCompile(`^(?:[_a-zA-Z]\w*::)+(_*[A-Z]\w*::~?[_a-zA-Z]\w*(?:<.*>)?)`),                     // C++
	}
	separators = regexp.MustCompile(`::|\.`)
)

// TestShortNames: the shortened name of a method that the compiler generated is
// still unambiguous.
func TestShortNames(t *testing.T) {
	for _, c := range []struct{ name, namespace, method, signature, want string }{
		{"async", "Shop.Cart+<LoadAsync>d__5", "MoveNext", "instance void  ()", "LoadAsync [async]"},
		{"lower-case async", "Shop.Cart+<load>d__5", "MoveNext", "instance void  ()", "load [async]"},
		{"iterator", "Shop.Cart+<Items>d__5", "MoveNext", "instance bool  ()", "Items [iterator]"},
		{"async lambda", "Shop.Cart+<>c+<<Load>b__0>d", "MoveNext", "instance void  ()", "lambda#0 [async]"},
		{"lambda", "Shop.Cart+<>c", "<Load>b__0_89", "instance void  (int32)", "lambda#89(int)"},
		{"local function", "Shop.Cart", "<Load>g__Local|0_1", "void  (int32)", "Local(int)"},
		{"dynamic method", "dynamicClass", "InvokeStub_Cart", "void  (pMT: 0x55c0dd8d3098<wchar>)", "InvokeStub_Cart(?<char>)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := symbols.Symbol{Namespace: c.namespace, Method: c.method, Signature: c.signature}
			name := s.Name()
			for _, re := range shortened {
				t.Run(re.String(), func(t *testing.T) {
					if re.MatchString(name) {
						t.Errorf("%q is shortened by %v", name, re)
					}
				})
			}
			parts := separators.Split(name, -1)
			if got := parts[len(parts)-1]; got != c.want {
				t.Errorf("the shortest form of %q is %q, want %q", name, got, c.want)
			}
			if strings.Contains(name, "..") {
				t.Errorf("%q has an empty part", name)
			}
		})
	}
}
