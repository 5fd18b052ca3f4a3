package main

import (
	"github.com/nettrace-go/nettrace/conformance/check"
)

// checkJSON prints one JSON object on each line: the findings of a file, then the
// file, with the error that ended its reading.
type checkJSON struct{ p *program }

func newCheckJSON(p *program, _ *checkOptions, _ int) checkPrinter { return &checkJSON{p} }

func (c *checkJSON) end() error { return nil }

func (c *checkJSON) file(r *checked) error {
	j := new(jsonText)
	report := r.report
	if report == nil {
		report = &check.Report{} // the file could not be opened
	}
	for i := range report.Findings {
		j.finding(r.name, &report.Findings[i])
		j.b = append(j.b, '\n')
	}
	j.b = append(j.b, '{')
	j.key("type").text("file")
	j.key("file").text(r.name)
	j.key("errors").number(int64(report.Errors))
	j.key("warnings").number(int64(report.Warnings))
	j.key("information").number(int64(report.Information))
	if report.Suppressed > 0 {
		j.key("suppressed").number(int64(report.Suppressed))
	}
	j.key("complete").bool(report.Complete && r.err == nil)
	if r.err != nil {
		j.key("error").text(r.err.Error())
	}
	j.close('}')
	_, err := c.p.stdout.Write(append(j.b, '\n'))
	return err
}

// finding adds the object of a finding. What does not apply is left out.
func (j *jsonText) finding(file string, f *check.Finding) {
	j.b = append(j.b, '{')
	j.key("type").text("finding")
	j.key("file").text(file)
	j.key("rule").text(f.Rule.String())
	j.key("severity").text(f.Severity.String())
	j.key("offset").number(f.Offset)
	if f.Block.Ordinal >= 0 {
		j.key("block").open('{')
		j.key("ordinal").number(int64(f.Block.Ordinal))
		j.key("kind").text(f.Block.Kind.String())
		j.key("offset").number(f.Block.Offset)
		j.close('}')
	}
	if f.Row >= 0 {
		j.key("row").number(int64(f.Row))
	}
	if len(f.IDs) > 0 {
		j.key("ids").open('{')
		for _, id := range f.IDs {
			j.key(id.Name).text(id.Value)
		}
		j.close('}')
	}
	if f.Expected != "" {
		j.key("expected").text(f.Expected)
	}
	if f.Actual != "" {
		j.key("actual").text(f.Actual)
	}
	j.key("count").number(f.Count)
	j.key("hint").text(f.Hint)
	if f.Suppressed != "" {
		j.key("suppressed").text(f.Suppressed)
	}
	j.close('}')
}
