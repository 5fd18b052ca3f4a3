package profile_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/profile"
)

// TestProgramName: the folder of a program can have spaces, and an argument can be a path.
func TestProgramName(t *testing.T) {
	for line, want := range map[string]string{
		"/srv/my app/Shop --urls http://x":    "Shop",
		"/srv/my app/my app/Shop":             "Shop",
		`C:\Program Files\Shop\Shop.exe /run`: "Shop",
		"dotnet /srv/my app/Shop.dll a/b":     "Shop",
		"/usr/bin/dotnet bin/Shop.dll":        "Shop",
		"/srv/Shop jobs/nightly.json":         "Shop",
		"/srv/Shop /jobs/nightly":             "Shop",
		"/srv/Shop --jobs=x/nightly":          "Shop",
		"Shop jobs/nightly":                   "Shop",
		`"/srv/my app/Shop" jobs`:             "Shop",
		"":                                    "",
		"   ":                                 "",
	} {
		expect.Equal(t, "name of "+line, profile.ProgramName(line), want)
	}
}
