package profile

import "github.com/nettrace-go/nettrace/internal/blocking"

// FrameworkModules returns the names of the modules that IsFramework regards as
// the framework, wherever their files are. One that ends in a dot matches all
// names that begin so.
func FrameworkModules() []string { return blocking.FrameworkModules() }

// IsFramework reports whether a function is not the program's own: its module is
// in a folder of the installed shared frameworks or has a name of
// FrameworkModules, or the function has no symbol, as native code.
func IsFramework(f *Function) bool { return blocking.IsFramework(f.Symbol, f.Module) }
