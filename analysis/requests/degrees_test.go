package requests_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestDegrees: of a session that recorded some sources of requests only, the report has what these tell, and says what records
// the rest.
func TestDegrees(t *testing.T) {
	for _, c := range []struct {
		trace   string
		sources []string // that the session recorded
		known   string   // requests with a duration, a status, an id of Kestrel, of all
		missing string   // the events that the report says to record
	}{
		{"aspnet10-requests", []string{clr.HostingProvider, clr.TasksProvider}, "137 0 0 of 166", "outgoing requests, the status of incoming requests"},
		{"aspnet10-requests", []string{clr.HostingProvider}, "137 0 0 of 166", "outgoing requests, the status of incoming requests"},
		{"aspnet10-requests", []string{clr.KestrelProvider}, "166 0 166 of 166", "outgoing requests, the status of incoming requests"},
		{"aspnet10-requests", []string{clr.DiagnosticsProvider}, "166 166 0 of 166", "outgoing requests"},
		{"aspnet10-requests", nil, "0 0 0 of 0", "incoming requests, outgoing requests"},
		{"aspnet11-requests", []string{clr.KestrelProvider}, "173 0 173 of 173", "outgoing requests, the status of incoming requests"},
	} {
		var b bytes.Buffer
		data := shared.File(t, "aspnet/"+c.trace+".v4.nettrace.zst")
		_, err := edit.Slice(t.Context(), &b, codec.NewBlockReader(bytes.NewReader(data), codec.Options{}), edit.SliceOptions{Keep: func(ev *codec.Event) bool {
			of := ev.Metadata().Provider
			return of == clr.RuntimeProvider || slices.Contains(c.sources, of)
		}})
		expect.NoError(t, err)
		report, _ := reportOf(t, b.Bytes())
		rows, _ := report.Rows.([]requests.Row)
		durations, statuses, ids := 0, 0, 0
		for i := range rows {
			for _, n := range []struct {
				known bool
				count *int
			}{{rows[i].State == requests.Completed, &durations}, {!rows[i].Status.IsZero(), &statuses}, {rows[i].RequestID != "", &ids}} {
				if n.known {
					*n.count++
				}
			}
		}
		name := fmt.Sprint(c.trace, " with ", c.sources)
		expect.Equal(t, name, fmt.Sprintf("%d %d %d of %d", durations, statuses, ids, len(rows)), c.known)
		var missing []string
		for _, n := range report.NotRecorded {
			missing = append(missing, n.What)
			expect.Contains(t, name+": advice", n.String(), "not recorded (")
		}
		expect.Equal(t, name+": missing", strings.Join(missing, ", "), c.missing)
	}
}
