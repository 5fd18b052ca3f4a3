package check

import (
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/conformance/check"
)

// jsonPrinter prints one JSON object on each line: the findings of a file, then the
// file, with the error that ended its reading.
type jsonPrinter struct{ p *run.Program }

func newJSON(p *run.Program, _ *options, _ int) printer { return &jsonPrinter{p} }

func (c *jsonPrinter) end() error { return nil }

func (c *jsonPrinter) file(r *checked) error {
	j := new(jsontext.Builder)
	report := r.report
	if report == nil {
		report = &check.Report{} // the file could not be opened
	}
	for i := range report.Findings {
		appendFinding(j, r.name, &report.Findings[i])
		j.Bytes = append(j.Bytes, '\n')
	}
	j.Bytes = append(j.Bytes, '{')
	j.Key("type").Text("file")
	j.Key("file").Text(r.name)
	j.Key("errors").Number(int64(report.Errors))
	j.Key("warnings").Number(int64(report.Warnings))
	j.Key("information").Number(int64(report.Information))
	if report.Suppressed > 0 {
		j.Key("suppressed").Number(int64(report.Suppressed))
	}
	j.Key("complete").Bool(report.Complete && r.err == nil)
	if r.err != nil {
		j.Key("error").Text(r.err.Error())
	}
	j.Close('}')
	_, err := c.p.Stdout.Write(append(j.Bytes, '\n'))
	return err
}

// appendFinding appends the object of a finding. It leaves out keys that do not apply.
func appendFinding(j *jsontext.Builder, file string, f *check.Finding) {
	j.Bytes = append(j.Bytes, '{')
	j.Key("type").Text("finding")
	j.Key("file").Text(file)
	j.Key("rule").Text(f.Rule.String())
	j.Key("severity").Text(f.Severity.String())
	j.Key("offset").Number(f.Offset)
	if f.Block.Ordinal >= 0 {
		j.Key("block").Open('{')
		j.Key("ordinal").Number(int64(f.Block.Ordinal))
		j.Key("kind").Text(f.Block.Kind.String())
		j.Key("offset").Number(f.Block.Offset)
		j.Close('}')
	}
	if f.Row >= 0 {
		j.Key("row").Number(int64(f.Row))
	}
	if len(f.IDs) > 0 {
		j.Key("ids").Open('{')
		for _, id := range f.IDs {
			j.Key(id.Name).Text(id.Value)
		}
		j.Close('}')
	}
	if f.Expected != "" {
		j.Key("expected").Text(f.Expected)
	}
	if f.Actual != "" {
		j.Key("actual").Text(f.Actual)
	}
	j.Key("count").Number(f.Count)
	j.Key("hint").Text(f.Hint)
	if f.Suppressed != "" {
		j.Key("suppressed").Text(f.Suppressed)
	}
	j.Close('}')
}
