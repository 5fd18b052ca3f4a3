package symbols

import "strings"

// splitJitted takes apart the symbol of a method in jitted code (v6), which is
// written "ret [module] Ns.Class::Method(args)[Tier]", as the runtime's perf maps
// have it.
func (s *Symbol) splitJitted() {
	if s.Signature != "" || s.Namespace != "" {
		return
	}
	_, behind, found := strings.Cut(" "+s.Method, " [")
	if !found {
		return
	}
	module, rest, found := strings.Cut(behind, "] ")
	separator := strings.Index(rest, "::")
	if !found || separator < 0 || module == "" {
		return
	}
	if tier := strings.LastIndexByte(rest, '['); strings.HasSuffix(rest, "]") && tier > strings.LastIndexByte(rest, ')') {
		rest = rest[:tier]
	}
	s.module = module
	s.Namespace = rest[:separator]
	s.Method = rest[separator+len("::"):]
	if at := strings.IndexByte(s.Method, '('); at >= 0 {
		s.Method, s.Signature = s.Method[:at], s.Method[at:]
	}
}
