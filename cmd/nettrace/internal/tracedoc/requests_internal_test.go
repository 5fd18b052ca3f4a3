package tracedoc

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// TestRequestFlags: the flags about requests choose the samples of the document, which says so.
func TestRequestFlags(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.nettrace")
	expect.NoError(t, os.WriteFile(path, shared.File(t, "aspnet/aspnet11-asyncprofiler.v4.nettrace.zst"), 0o600))
	read := func(args ...string) (samples, others int, warnings string) {
		cmd, address := &cobra.Command{}, Address{}
		address.AddFlags(cmd, "")
		address.AddRequestFlags(cmd)
		expect.NoError(t, cmd.ParseFlags(args))
		s, _, err := Read(t.Context(), &run.Program{Stderr: io.Discard}, path, address.Reading())
		expect.NoError(t, err)
		for one := range s.Profile.Samples(profile.Wall) {
			if samples++; len(args) > 0 {
				if r, _ := s.Profile.Request(&one); r == nil || !strings.HasPrefix(profile.RouteName(r), "GET /lock") {
					others++
				}
			}
		}
		return samples, others, strings.Join(s.Warnings, "\n")
	}
	all, _, warnings := read()
	expect.Equal(t, "warning", strings.Contains(warnings, "work for the requests"), false)
	some, others, warnings := read("--route", "^GET /lock")
	expect.AtLeast(t, "samples of the route", some, 54)
	expect.Equal(t, "others", others, 0)
	expect.AtLeast(t, "samples left out", all-some, 20_000)
	expect.Contains(t, "warnings", warnings, "the samples are only the work for the requests that --route ^GET /lock chooses")
}
