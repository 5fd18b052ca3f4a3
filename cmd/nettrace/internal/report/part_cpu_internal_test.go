package report

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/spans"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// TestCPUOfRequests: the shares of the routes are those of the thread clocks that the program read. The samples also have
// the time of the framework, and that of a busy machine.
func TestCPUOfRequests(t *testing.T) {
	const margin = 10 // points
	for _, name := range []string{"aspnet10-async", "aspnet10-switch", "aspnet11-switch", "aspnet11-asyncprofiler", "aspnet11-attach"} {
		opt := profile.Options{States: cpuStates, Types: []profile.Type{profile.Wall}, Requests: true, NoLabels: true, Limits: profile.LargeLimits()}
		prof, err := profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(shared.File(t, "aspnet/"+name+".v4.nettrace.zst")), codec.Options{}), opt)
		expect.NoError(t, err)
		l := &samples.Loaded{Profile: prof, Kinds: prof.Types()}
		process := l.Threads()[0].ProcessID
		cpu := cpuOfRequests(l, process)
		byID := map[string]int64{}
		sum := int64(0)
		for key, nanos := range cpu.ByRequest {
			byID[key.ID] += nanos
			sum += nanos
		}
		expect.Equal(t, name+": sum", cpu.RequestsNs, sum)
		clock, sampled := map[string]float64{}, map[string]float64{}
		all, found := 0.0, 0.0
		for line := range bytes.Lines(shared.File(t, "aspnet/"+name+".truth.ndjson.zst")) {
			var r struct {
				Type, RequestID, Route string
				Parts                  []struct{ CPU float64 }
			}
			expect.NoError(t, json.Unmarshal(line, &r))
			nanos, ok := byID[r.RequestID]
			if r.Type != "request" || !ok || len(r.Parts) == 0 {
				continue
			}
			for _, p := range r.Parts {
				clock[r.Route], all = clock[r.Route]+p.CPU, all+p.CPU
			}
			sampled[r.Route], found = sampled[r.Route]+float64(nanos), found+float64(nanos)
		}
		for route, nanos := range clock {
			got, want := 100*sampled[route]/found, 100*nanos/all
			if want < 5 {
				continue
			}
			if t.Logf("%s: %s %.1f %%, clock %.1f %%", name, route, got, want); math.Abs(got-want) > margin {
				t.Errorf("%s: %s has %.1f %% of the time, want %.1f %%", name, route, got, want)
			}
		}
	}
}

// TestCPUOfSpans: the build evaluates the project itself, and waits while the server compiles.
func TestCPUOfSpans(t *testing.T) {
	data := shared.File(t, "apps/dotnet-build-net10-server.v4.nettrace.zst")
	part := spans.New()
	trace, err := analysis.Read(t.Context(), codec.NewReader(bytes.NewReader(data), codec.Options{Order: codec.ByTime}), analysis.Options{Parts: []analysis.Part{part}})
	expect.NoError(t, err)
	reports := part.Reports(trace)
	prof, err := profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(data), codec.Options{}), profile.Options{States: cpuStates, NoLabels: true})
	expect.NoError(t, err)
	spans.AddCPU(&reports[0], cpuOfThreads(&samples.Loaded{Profile: prof, Kinds: prof.Types()}, prof.Threads()[0].ProcessID))
	percent := map[string]int64{}
	for _, row := range reports[0].Rows.([]spans.Row) {
		percent[row.Name+" "+row.Key] = 100 * row.CPUNs.Or(-1) / row.TotalNs
	}
	expect.AtLeast(t, "processor time of Evaluate, percent", percent["Evaluate /srv/apps/w/proj/App.csproj"], 90)
	expect.Equal(t, "of CoreCompile, percent", percent["Target CoreCompile"], 11)
}
