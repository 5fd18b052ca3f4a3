package parts_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/alloc"
	"github.com/nettrace-go/nettrace/analysis/async"
	"github.com/nettrace-go/nettrace/analysis/exceptions"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/analysis/jit"
	"github.com/nettrace-go/nettrace/analysis/locks"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/analysis/spans"
	"github.com/nettrace-go/nettrace/analysis/threads"
	"github.com/nettrace-go/nettrace/analysis/trace"
	"github.com/nettrace-go/nettrace/analysis/waits"
)

// TestDeclared: what a row has in JSON is declared, and nothing else is.
func TestDeclared(t *testing.T) {
	declares(t, &gc.Table)
	declares(t, &alloc.Table)
	declares(t, &jit.Table)
	declares(t, &threads.Table)
	declares(t, &locks.Table)
	declares(t, &waits.Table)
	declares(t, &exceptions.Table)
	declares(t, &requests.Table)
	declares(t, &spans.Table)
	declares(t, &async.Table)
	declares(t, &trace.Table)
}

// declares compares the fields of a table with those of its rows. The lists of keys and the values have
// to be possible.
func declares[R any](t *testing.T, table *analysis.Table[R]) {
	t.Helper()
	row := reflect.TypeFor[R]()
	var want, got []string
	for _, f := range reflect.VisibleFields(row) {
		if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "" {
			want = append(want, key)
		}
	}
	for _, f := range table.Fields {
		got = append(got, f.Key)
		if f.Doc == "" {
			t.Errorf("%v: %s has no sentence", row, f.Key)
		}
	}
	for _, key := range slices.Concat(want, got) {
		if !slices.Contains(want, key) || !slices.Contains(got, key) {
			t.Errorf("%v: %s is in the type of the rows %v, is declared %v", row, key, slices.Contains(want, key), slices.Contains(got, key))
		}
	}
	table.Select(table.Query + " " + table.Page)
	if l := table.Longest; l != nil {
		table.Select(l.Key + " " + strings.Join(l.Why, " "))
	}
	for _, f := range table.Select(table.Text) {
		if f.Head == "" {
			t.Errorf("%v: %s has no head for text", row, f.Key)
		}
	}
	for _, f := range table.Fields {
		for _, of := range []func(*R) any{f.Of, f.Show} {
			if of == nil {
				continue
			}
			switch v := of(new(R)).(type) {
			case analysis.Number, analysis.Counted, analysis.Site, int64, float64, string, bool:
			default:
				t.Errorf("%v: %s is a %T", row, f.Key, v)
			}
		}
	}
}
