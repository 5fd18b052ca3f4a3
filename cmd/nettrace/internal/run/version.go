package run

import "runtime/debug"

// Version returns the version of the program, or "(devel)" where the build has none.
func Version() string {
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return build.Main.Version
	}
	return "(devel)"
}
