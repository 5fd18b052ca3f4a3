package program

import (
	"runtime/debug"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestCommitOf checks the commit of a program for each way of building it.
func TestCommitOf(t *testing.T) {
	for _, c := range []struct{ name, version, revision, want string }{
		{"go build at a tag", "v0.2.0", "38bb9221c029f2b31a02deb507299554916f92b4", "38bb9221c029"},
		{"go build between tags", "v0.2.1-0.20261123081825-38bb9221c029", "38bb9221c029f2b31a02deb507299554916f92b4", "38bb9221c029"},
		{"go build of changed files", "v0.2.0+dirty", "38bb9221c029f2b31a02deb507299554916f92b4", "38bb9221c029"},
		{"go build -buildvcs=false", "(devel)", "", "unknown"},
		{"go run of files", "", "", "unknown"},
		{"go install at a tag", "v0.2.0", "", "of tag cmd/nettrace/v0.2.0"},
		{"go install at a pre-release", "v0.2.0-rc.1", "", "of tag cmd/nettrace/v0.2.0-rc.1"},
		{"go install before the first tag", "v0.0.0-20261123081825-38bb9221c029", "", "38bb9221c029"},
		{"go install between tags", "v0.2.1-0.20261123081825-38bb9221c029", "", "38bb9221c029"},
		{"go install after a pre-release", "v0.2.0-rc.1.0.20261123081825-38bb9221c029", "", "38bb9221c029"},
	} {
		t.Run(c.name, func(t *testing.T) {
			build := &debug.BuildInfo{Main: debug.Module{Version: c.version}}
			if c.revision != "" {
				build.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: c.revision}}
			}
			expect.Equal(t, "commit", commitOf(build), c.want)
		})
	}
}
