package samples

import (
	"strings"

	clr "github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/symbols"
)

// KindOf returns what the code of a frame is: managed, native, kernel, stub or truncated, "" if that
// is not known.
func KindOf(p *profile.Profile, f *profile.Frame, function *profile.Function) string {
	named := clr.Frame{Address: f.Address, Symbol: function.Symbol, Evidence: f.Evidence}
	switch {
	case p.IsSynthesized(f.Function):
		return "truncated"
	case named.Managed():
		return "managed"
	case named.InKernel():
		return "kernel"
	case strings.HasPrefix(function.Name, "[stub "):
		return "stub"
	case function.Mapping != nil && symbols.IsImage(function.Mapping):
		return "managed" // code that was compiled ahead of time
	case f.Evidence == clr.Native, f.Evidence == clr.Mapping, function.Name == "[native]":
		return "native"
	}
	return ""
}
