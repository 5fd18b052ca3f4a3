package check

import (
	"net/url"
	"path/filepath"
	"strconv"

	"github.com/owenrumney/go-sarif/v2/sarif"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/check"
)

// sarifPrinter prints one SARIF 2.1.0 log for all files.
type sarifPrinter struct {
	p          *run.Program
	run        *sarif.Run
	invocation *sarif.Invocation
}

// unreadable is the rule of the results for files that cannot be read. It is not a rule of
// the format.
const unreadable = "unreadable-file"

// levels are the words of SARIF for severities.
var levels = map[rule.Severity]string{rule.Error: "error", rule.Warning: "warning", rule.Information: "note"}

func newSARIF(p *run.Program, _ *options, _ int) printer {
	run := sarif.NewRunWithInformationURI("nettrace", "https://github.com/nettrace-go/nettrace")
	run.WithColumnKind("unicodeCodePoints")
	return &sarifPrinter{p, run, run.AddInvocation(true)}
}

func (c *sarifPrinter) file(r *checked) error {
	uri := fileURI(r.name)
	c.run.AddDistinctArtifact(uri)
	if r.err != nil {
		c.addUnreadable(uri, r.err)
	}
	if r.report == nil {
		return nil
	}
	for i := range r.report.Findings {
		c.add(uri, &r.report.Findings[i])
	}
	return nil
}

// addUnreadable adds a result and a notification for a file that could not be read to its end.
func (c *sarifPrinter) addUnreadable(uri string, err error) {
	*c.invocation.ExecutionSuccessful = false
	message := sarif.NewTextMessage(err.Error())
	location := sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(uri)))
	c.invocation.ToolExecutionNotifications = append(c.invocation.ToolExecutionNotifications,
		sarif.NewNotification().WithLevel("error").WithMessage(message).WithLocations([]*sarif.Location{location}))
	c.run.AddRule(unreadable).WithDescription("A checked file can be read to its end.").
		WithTextHelp("Check that the file exists, that you may read it and that it is not damaged.")
	c.run.CreateResultForRule(unreadable).WithLevel("error").WithMessage(message).AddLocation(location)
}

// add adds a finding. A suppressed finding has the level none.
func (c *sarifPrinter) add(uri string, f *check.Finding) {
	r := f.Rule.Rule()
	c.run.AddRule(r.Name).WithDescription(r.Sentence).WithTextHelp(r.Hint).
		WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(levels[r.Severity]))
	text := r.Sentence
	if d := difference(f); d != "" {
		text += " " + d + "."
	}
	text += " (" + place(f) + ")"
	level, properties := levels[f.Severity], sarif.Properties{"hint": f.Hint}
	if f.Suppressed != "" {
		level = "none"
		properties["suppressed"] = f.Suppressed
	}
	if f.Row >= 0 {
		properties["row"] = f.Row
	}
	for _, id := range f.IDs {
		properties[id.Name] = id.Value
	}
	region := sarif.NewRegion().WithByteOffset(int(f.Offset)).WithByteLength(0)
	location := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(uri)).WithRegion(region)
	result := c.run.CreateResultForRule(r.Name).WithLevel(level).WithMessage(sarif.NewTextMessage(text)).
		WithOccurrenceCount(int(f.Count))
	result.AddLocation(sarif.NewLocationWithPhysicalLocation(location))
	result.WithPartialFingerPrints(map[string]any{"place/v1": r.Name + "@" + strconv.FormatInt(f.Offset, 10)})
	result.Properties = properties
}

// end prints the log.
func (c *sarifPrinter) end() error {
	log, err := sarif.New(sarif.Version210)
	if err != nil {
		return err
	}
	if c.run.Results == nil {
		c.run.Results = []*sarif.Result{}
	}
	log.AddRun(c.run)
	return log.PrettyWrite(c.p.Stdout)
}

// fileURI returns the name of a file as a relative or absolute URI.
func fileURI(name string) string {
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return u.String()
}
