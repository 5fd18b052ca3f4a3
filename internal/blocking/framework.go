package blocking

import (
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// frameworkFolders are parts of the paths of modules that the runtime's
// installation has.
var frameworkFolders = []string{
	"/shared/Microsoft.NETCore.App/", "/shared/Microsoft.AspNetCore.App/", "/shared/Microsoft.WindowsDesktop.App/",
}

// frameworkModules are the names of modules of the framework. One that ends in a
// dot matches all names that begin so.
var frameworkModules = []string{
	"System", "System.", "mscorlib", "netstandard", "WindowsBase", "PresentationCore", "PresentationFramework",
	"Microsoft.AspNetCore", "Microsoft.AspNetCore.", "Microsoft.CSharp", "Microsoft.Extensions.", "Microsoft.Net.Http.",
	"Microsoft.VisualBasic", "Microsoft.VisualBasic.", "Microsoft.Win32.",
	"Anonymously Hosted DynamicMethods Assembly",
}

// FrameworkModules returns the names of the modules that IsFramework regards as
// the framework, wherever their files are. One that ends in a dot matches all
// names that begin so.
func FrameworkModules() []string { return slices.Clone(frameworkModules) }

// IsFramework reports whether a method is not the program's own: its module is in a folder of the
// installed shared frameworks or has a name of FrameworkModules, or there is no symbol. module is
// the name of its module.
func IsFramework(s *symbols.Symbol, module string) bool {
	if s == nil {
		return true
	}
	if m := s.Module; m != nil {
		path := strings.ReplaceAll(m.Path, `\`, "/")
		if slices.ContainsFunc(frameworkFolders, func(folder string) bool { return strings.Contains(path, folder) }) {
			return true
		}
	}
	return slices.ContainsFunc(frameworkModules, func(name string) bool {
		return module == name || strings.HasSuffix(name, ".") && strings.HasPrefix(module, name)
	})
}

// ProgramFrame returns the index of the innermost frame of the program, -1 for none.
func ProgramFrame(frames []symbols.Frame) int {
	return slices.IndexFunc(frames, func(f symbols.Frame) bool {
		return f.Symbol != nil && !IsFramework(f.Symbol, f.Symbol.ModuleName())
	})
}
