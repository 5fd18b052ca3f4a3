package collect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestSamplingInterval: the variable of the command has the interval as the version of its
// configuration reads it, and intervals at which the sampler does not sleep are refused.
func TestSamplingInterval(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"ten":    `{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.1"}}}`,
		"eleven": `{"runtimeOptions":{"frameworks":[{"name":"Microsoft.NETCore.App","version":"11.0.0"},{"name":"Microsoft.AspNetCore.App","version":"11.0.0"}]}}`,
	} {
		expect.NoError(t, os.WriteFile(filepath.Join(folder, name+".runtimeconfig.json"), []byte(text), 0o600))
	}
	for _, c := range []struct {
		command  string
		interval time.Duration
		want     string // the value, or a part of the error
	}{
		{"dotnet exec " + folder + "/ten.dll 1", 20 * time.Millisecond, "=14"},
		{"dotnet " + folder + "/eleven.dll", 20 * time.Millisecond, "=20"},
		{folder + "/ten.dll", 999 * time.Millisecond, "=3e7"},
		{"sh -c app", 5 * time.Millisecond, "=5"},
		{"app", time.Second, "999"},
		{"app", 0, "1 to 999"},
		{"app", 1500 * time.Microsecond, "1 to 999"},
		{"", 5 * time.Millisecond, "needs a command"},
	} {
		var o options
		o.Command, o.interval = strings.Fields(c.command), c.interval
		got := ""
		if err := o.checkInterval(true); err != nil {
			got = err.Error()
		} else {
			got = o.Set[0]
		}
		expect.Contains(t, c.command+" "+c.interval.String(), got, c.want)
	}
}
