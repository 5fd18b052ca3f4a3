package check

import (
	"bytes"
	"fmt"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec/rule"
)

// explainRule prints all parts of a rule.
func explainRule(p *run.Program, name string) error {
	id, ok := rule.Parse(name)
	if !ok {
		return noRule(p, name)
	}
	r := id.Rule()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s  %s\n\n  %s\n\n", r.Name, severityText(r), r.Sentence)
	fmt.Fprintf(&b, "  Versions:  %v\n", r.Versions)
	for i, line := range basisLines(r) {
		label := ""
		if i == 0 {
			label = "Basis:"
		}
		fmt.Fprintf(&b, "  %-9s  %s\n", label, line)
	}
	if r.Heading != "" {
		fmt.Fprintf(&b, "  Text:      under %q\n", r.Heading)
	}
	fmt.Fprintf(&b, "  Fix:       %s\n", r.Hint)
	_, err := p.Stdout.Write(b.Bytes())
	if err != nil {
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

// listRules prints all rules, one on each line.
func listRules(p *run.Program, asJSON bool) error {
	j := new(jsontext.Builder)
	for r := range rule.All() {
		if asJSON {
			appendRule(j, r)
		} else {
			j.Bytes = fmt.Appendf(j.Bytes, "%-11s  %-22s  %-7v  %s\n", r.Name, severityText(r), r.Versions, r.Sentence)
		}
	}
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
