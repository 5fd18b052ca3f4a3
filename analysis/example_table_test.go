package analysis_test

import (
	"fmt"

	"github.com/nettrace-go/nettrace/analysis"
)

// A value is declared in one line. Text has the column "pause" in milliseconds, query the column pause_ns.
func ExampleTable() {
	type Row struct {
		PauseNs analysis.Number `json:"pauseNs,omitzero"`
	}
	table := analysis.Table[Row]{
		Fields: []analysis.Field[Row]{
			{Key: "pauseNs", Doc: "sum of the pauses", Head: "pause", Form: analysis.Million, Of: func(r *Row) any { return r.PauseNs }},
		},
		Text: "pauseNs", Query: "pauseNs", Page: "pauseNs",
	}
	row := Row{PauseNs: analysis.Known(1_500_000)}
	for _, f := range table.Select(table.Text) {
		fmt.Println(f.Head, f.Doc, f.Of(&row))
	}
	// Output: pause sum of the pauses 1500000
}
