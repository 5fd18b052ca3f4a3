package query_test

import (
	"encoding/json"
	"os/exec"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestScale measures the processor time of queries about a million events, for
// bench/SCALE.md. The time of a join does not include that of a query that only reads the
// same columns.
func TestScale(t *testing.T) {
	tier.NeedsNightly(t) // it takes a minute
	program, trace := programtest.Build(t), testfile.Long(t, 205e6)
	count, err := query(t, trace, "SELECT count(*) AS n FROM events")[0]["n"].(json.Number).Float64()
	expect.NoError(t, err)
	seconds := func(sql string) float64 { // of processor time for 1 M events, the least of three runs
		least := time.Hour
		for range 3 {
			cmd := exec.Command(program, "query", "--workers=1", trace, sql)
			expect.NoError(t, cmd.Run())
			least = min(least, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
		return least.Seconds() / count * 1e6
	}
	for _, c := range []struct {
		name, sql, reading string
		limit              float64
	}{
		{"groups by numbers, with reading", "SELECT provider_id, event_id, count(*) FROM events GROUP BY provider_id, event_id", "", 2.5},
		{"groups by texts, with reading", "SELECT provider, name, count(*) FROM events GROUP BY provider, name", "", 4.5},
		{
			"join of samples, stacks and functions", "SELECT f.id, count(*), sum(s.value) " + join + "GROUP BY f.id",
			"SELECT f.id, s.stack_id, s.value, k.id, k.function_id FROM samples s, stacks k, functions f LIMIT 1", 0.6,
		},
		{"the join, with reading", "SELECT f.id, count(*), sum(s.value) " + join + "GROUP BY f.id", "", 0},
	} {
		took := seconds(c.sql)
		if c.reading != "" {
			took -= seconds(c.reading)
		}
		t.Logf("| %s | %.2f s |", c.name, took)
		if c.limit > 0 {
			expect.AtMost(t, c.name, took, c.limit)
		}
	}
}
