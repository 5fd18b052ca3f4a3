package check

import (
	"fmt"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec/rule"
)

// explainRule prints all parts of a rule.
func explainRule(p *run.Program, o *options) error {
	id, ok := rule.Parse(o.explain)
	if !ok {
		return noRule(p, o.explain)
	}
	r := id.Rule()
	screen := o.display.Screen(p.Stdout)
	head := r.Name + "  " + screen.Paint(severityColors[r.Severity], severityText(r))
	table := terminal.Table{NoTitle: true, Indent: 2, Columns: []terminal.Column{{Min: len("Versions:")}, {Overflow: terminal.Break}}}
	add := func(label, text string) {
		table.Add(terminal.Cell{Text: label, Color: terminal.Bold}, terminal.Cell{Text: text})
	}
	add("Versions:", r.Versions.String())
	for i, line := range basisLines(r) {
		label := ""
		if i == 0 {
			label = "Basis:"
		}
		add(label, line)
	}
	if r.Heading != "" {
		add("Text:", fmt.Sprintf("under %q", r.Heading))
	}
	add("Fix:", r.Hint)
	text := head + "\n\n" + screen.Wrap("  "+r.Sentence, 2) + "\n\n"
	if _, err := p.Stdout.Write(table.Append([]byte(text), screen)); err != nil {
		return exit.WriteError(err)
	}
	return nil
}

// basisLines returns what a rule is based on, with the versions if that differs between them.
func basisLines(r *rule.Rule) []string {
	if r.Except.Versions == 0 {
		return []string{basisText[r.Basis]}
	}
	line := func(v rule.Versions, basis rule.Basis) string { return fmt.Sprintf("%v: %s", v, basisText[basis]) }
	return []string{line(r.Versions&^r.Except.Versions, r.Basis), line(r.Except.Versions, r.Except.Basis)}
}

// noRule returns the error for a name that no rule has. For a retired rule it has the reason.
func noRule(p *run.Program, name string) error {
	for _, r := range rule.Retired {
		if r.Name == name {
			return fmt.Errorf("%s is retired: %s", name, r.Reason)
		}
	}
	return fmt.Errorf("no rule %q: nettrace check --list lists them", name)
}

var basisText = map[rule.Basis]string{
	rule.Text: "a sentence of the format specification", rule.Reader: "a reader in use fails or misreads",
	rule.Plausible: "a value that a writer hardly ever intends", rule.Fact: "an observation",
}

// severityText returns the severity of a rule, or the range of its severities.
func severityText(r *rule.Rule) string {
	if r.Also != 0 {
		return r.Severity.String() + " to " + r.Also.String()
	}
	return r.Severity.String()
}

// listRules prints all rules: in a table, or one on each line of JSON.
func listRules(p *run.Program, o *options) error {
	j := new(jsontext.Builder)
	table := terminal.Table{NoTitle: true, Columns: []terminal.Column{{Min: 11}, {Min: 22}, {Min: 7}, {Overflow: terminal.Break}}}
	for r := range rule.All() {
		if o.format.IsJSON() {
			appendRule(j, r)
			continue
		}
		table.Add(terminal.Cell{Text: r.Name}, terminal.Cell{Text: severityText(r), Color: severityColors[r.Severity]},
			terminal.Cell{Text: r.Versions.String()}, terminal.Cell{Text: r.Sentence})
	}
	j.Bytes = table.Append(j.Bytes, o.display.Screen(p.Stdout))
	if _, err := p.Stdout.Write(j.Bytes); err != nil {
		return exit.WriteError(err)
	}
	return nil
}

// appendRule adds the line of a rule.
func appendRule(j *jsontext.Builder, r *rule.Rule) {
	j.Bytes = append(j.Bytes, '{')
	j.Key("type").Text("rule")
	j.Key("rule").Text(r.Name)
	j.Key("severity").Text(r.Severity.String())
	if r.Also != 0 {
		j.Key("also").Text(r.Also.String())
	}
	j.Key("basis").Text(r.Basis.String())
	if r.Except.Versions != 0 {
		j.Key("except").Open('{')
		j.Key("versions").Text(r.Except.Versions.String())
		j.Key("basis").Text(r.Except.Basis.String())
		j.Close('}')
	}
	j.Key("versions").Text(r.Versions.String())
	if r.Heading != "" {
		j.Key("heading").Text(r.Heading)
	}
	j.Key("sentence").Text(r.Sentence)
	j.Key("hint").Text(r.Hint)
	j.Bytes = append(j.Bytes, "}\n"...)
}
