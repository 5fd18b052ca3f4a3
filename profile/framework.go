package profile

import (
	"slices"
	"strings"
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

// IsFramework reports whether a function is not the program's own: its module is
// in a folder of the installed shared frameworks or has a name of
// FrameworkModules, or the function has no symbol, as native code.
func IsFramework(f *Function) bool {
	if f.Symbol == nil {
		return true
	}
	if m := f.Symbol.Module; m != nil {
		path := strings.ReplaceAll(m.Path, `\`, "/")
		for _, folder := range frameworkFolders {
			if strings.Contains(path, folder) {
				return true
			}
		}
	}
	return slices.ContainsFunc(frameworkModules, func(name string) bool {
		return f.Module == name || strings.HasSuffix(name, ".") && strings.HasPrefix(f.Module, name)
	})
}
