package symbols

import (
	"regexp"
	"strings"
	"sync"
)

// jittedSymbol is the symbol of a method in code that the runtime made, as its
// perf maps have it: "ret [module] Ns.Class::Method(args)[Tier]".
var jittedSymbol = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^.+? \[(.+?)\] (.+)\[.+\]$`) })

// splitJitted splits such a symbol. In memory of the runtime the module is that
// of the symbol, in a mapped file the file.
func (s *Symbol) splitJitted() {
	if s.Signature != "" || s.Namespace != "" || s.Module == nil {
		return
	}
	parts := jittedSymbol().FindStringSubmatch(s.Method)
	if parts == nil {
		return
	}
	if s.Module.memory {
		s.module = fileModuleName(parts[1])
	}
	s.Method = strings.TrimSpace(parts[2])
	if at := strings.IndexByte(s.Method, '('); at >= 0 {
		s.Method, s.Signature = s.Method[:at], s.Method[at:]
	}
	if typ, method, found := strings.Cut(s.Method, "::"); found {
		s.Namespace, s.Method, s.joint = typ, method, "::"
	}
}

// memoryMapping begins the names of mappings in which the runtime makes code.
const memoryMapping = "/memfd:doublemapper"

// fileModuleName is the name of a mapped file in raw names: the last part of its
// path, without the extension of a PE image or a managed module.
func fileModuleName(path string) string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	for _, extension := range [...]string{".dll", ".exe", ".netmodule", ".winmd"} {
		if n := len(name) - len(extension); n > 0 && strings.EqualFold(name[n:], extension) {
			return name[:n]
		}
	}
	return name
}
