package attach

import (
	"testing"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestProgramName: the program has a name also if its command line has no word.
func TestProgramName(t *testing.T) {
	for _, c := range []struct {
		info *eventpipe.ProcessInfo
		want string
	}{
		{nil, "trace"},
		{&eventpipe.ProcessInfo{}, "trace"},
		{&eventpipe.ProcessInfo{CommandLine: "  "}, "trace"},
		{&eventpipe.ProcessInfo{CommandLine: " /app/shop --port 80"}, "shop"},
		{&eventpipe.ProcessInfo{CommandLine: "dotnet shop.dll", EntryAssembly: "shop:1"}, "shop_1"},
	} {
		a := Process{Info: c.info}
		expect.Equal(t, "name", a.ProgramName(), c.want)
	}
}
