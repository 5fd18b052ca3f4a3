package main

import (
	"bytes"
	"fmt"

	"github.com/nettrace-go/nettrace/codec/rule"
)

// explainRule prints what there is to know of a rule.
func (p *program) explainRule(name string) error {
	id, ok := rule.Parse(name)
	if !ok {
		return p.noRule(name)
	}
	r := id.Rule()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s  %s\n\n  %s\n\n", r.Name, severityText(r), r.Sentence)
	fmt.Fprintf(&b, "  Versions:  %v\n  Basis:     %s\n", r.Versions, basisText[r.Basis])
	if r.Heading != "" {
		fmt.Fprintf(&b, "  Text:      under %q\n", r.Heading)
	}
	fmt.Fprintf(&b, "  Fix:       %s\n", r.Hint)
	_, err := p.stdout.Write(b.Bytes())
	if err != nil {
		return writeFailure(err)
	}
	return nil
}

// noRule is the error for a name that no rule has. A retired one tells what
// became of it.
func (p *program) noRule(name string) error {
	for _, r := range rule.Retired {
		if r.Name == name {
			return fmt.Errorf("%s is retired: %s", name, r.Reason)
		}
	}
	return fmt.Errorf("no rule %q: nettrace check --list lists them", name)
}

var basisText = map[rule.Basis]string{
	rule.Text: "a sentence of the format's description", rule.Reader: "a reader in use fails or misreads",
	rule.Plausible: "hardly anyone means it", rule.Fact: "an observation",
}

// severityText is a rule's severity, or the range of it.
func severityText(r *rule.Rule) string {
	if r.Also != 0 {
		return r.Severity.String() + " to " + r.Also.String()
	}
	return r.Severity.String()
}

// listRules prints all rules, one a line.
func (p *program) listRules(asJSON bool) error {
	j := new(jsonText)
	for r := range rule.All() {
		if asJSON {
			j.rule(r)
		} else {
			j.b = fmt.Appendf(j.b, "%-11s  %-22s  %-7v  %s\n", r.Name, severityText(r), r.Versions, r.Sentence)
		}
	}
	if _, err := p.stdout.Write(j.b); err != nil {
		return writeFailure(err)
	}
	return nil
}

// rule adds the line of a rule.
func (j *jsonText) rule(r *rule.Rule) {
	j.b = append(j.b, '{')
	j.key("type").text("rule")
	j.key("rule").text(r.Name)
	j.key("severity").text(r.Severity.String())
	if r.Also != 0 {
		j.key("also").text(r.Also.String())
	}
	j.key("basis").text(r.Basis.String())
	j.key("versions").text(r.Versions.String())
	if r.Heading != "" {
		j.key("heading").text(r.Heading)
	}
	j.key("sentence").text(r.Sentence)
	j.key("hint").text(r.Hint)
	j.b = append(j.b, "}\n"...)
}
