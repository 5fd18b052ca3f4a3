package query

import (
	"context"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/columns"
)

// printList prints the ready queries, for programs with their SQL.
func printList(p *run.Program, o *options) error {
	names := []string{"query", "description"}
	if o.format.Name() != formatTable {
		names = append(names, "sql")
	}
	var rows [][]any
	for _, q := range readyQueries {
		rows = append(rows, []any{q.name, q.about, strings.TrimSpace(q.sql)}[:len(names)])
	}
	return o.print(p, names, rows)
}

// printSchema prints the tables: those of every trace, and those of some files.
func printSchema(ctx context.Context, p *run.Program, o *options, files []string) error {
	traces, end, err := openAll(p, files, 1)
	defer end()
	if err != nil {
		return err
	}
	s := &source{ctx: ctx, traces: traces, tables: map[string]*table{}}
	var rows [][]any
	seen := map[string]bool{}
	add := func(of *columns.Table, list []columns.Column) {
		if seen[lower(of.Name)] {
			return
		}
		seen[lower(of.Name)] = true
		rows = append(rows, []any{of.Name, "", "", "", of.Doc})
		for _, c := range list {
			rows = append(rows, []any{of.Name, c.Name, c.Type.String(), c.Unit, c.Doc})
		}
	}
	for _, t := range fixedTables() {
		add(t, t.Columns)
	}
	for _, v := range views {
		rows = append(rows, []any{v.name, "", "", "", v.about + " (a view)"})
	}
	for _, trace := range traces {
		list, err := trace.Tables(ctx)
		if err != nil {
			return err
		}
		for _, t := range list {
			all, err := s.find(t.Name)
			if err != nil {
				return err
			}
			add(t, all.columns)
		}
	}
	for i, t := range traces {
		report(p, files[i], t)
	}
	return o.print(p, []string{"table", "column", "type", "unit", "description"}, rows)
}

// print prints rows of texts.
func (o *options) print(p *run.Program, names []string, rows [][]any) error {
	s, err := newSink(p, o, names)
	if err != nil {
		return exit.WriteError(err)
	}
	for _, row := range rows {
		if err := s.row(row); err != nil {
			return exit.WriteError(err)
		}
	}
	return exit.WriteError(s.end())
}
