package conformance_test

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// statement is a row of statements.tsv: a sentence of a specification that demands
// or permits something.
type statement struct {
	text, section, sentence string
	rules                   []string // that check it in a trace
	cases                   []string // patterns BLOCK/NAME of the cases that check it in a reader
	reason                  string   // why no rule checks it, or what the rules leave out
}

// texts are the specifications, by their name in the table, with the versions that
// they describe.
var texts = map[string][]rule.Versions{"v4/v5": {rule.V4, rule.V5}, "v6": {rule.V6}}

// caseVersions are the versions of cases by text.
var caseVersions = map[string][]string{"v4/v5": {"4", "5"}, "v6": {"6"}}

// statements reads the table.
func statements(t *testing.T) []statement {
	t.Helper()
	data, err := os.ReadFile("statements.tsv")
	expect.NoError(t, err)
	head, body, _ := strings.Cut(string(data), "\n")
	expect.Equal(t, "first line", head, "text\tsection\tstatement\trules\tcases\treason")
	expect.Stop(t)
	var list []statement
	for line := range strings.Lines(body) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		expect.Len(t, "columns of "+line, columns, 6)
		expect.Stop(t)
		list = append(list, statement{
			columns[0], columns[1], columns[2], strings.Fields(columns[3]), strings.Fields(columns[4]), columns[5],
		})
	}
	return list
}

// faults returns what is wrong with a row.
func (s *statement) faults(list []cases.Case) (faults []string) {
	add := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	versions, known := texts[s.text]
	if !known {
		add("no text %q", s.text)
	}
	if s.section == "" || s.sentence == "" {
		add("no section or no statement")
	}
	if len(s.rules)+len(s.cases) == 0 && s.reason == "" {
		add("neither rule, case nor reason")
	}
	for _, name := range s.rules {
		id, ok := rule.Parse(name)
		if !ok {
			add("no rule %s", name)
		} else if !slices.ContainsFunc(versions, id.Rule().Versions.Has) {
			add("%s does not apply to %s", name, s.text)
		}
	}
	for _, pattern := range s.cases {
		if !slices.ContainsFunc(list, func(c cases.Case) bool {
			return slices.Contains(caseVersions[s.text], c.Version) && matches(pattern, c.Name)
		}) {
			add("no case %s of %s", pattern, s.text)
		}
	}
	return faults
}

// matches reports whether a pattern BLOCK/NAME matches the name of a case,
// GRADE/BLOCK/NAME.vVERSION.
func matches(pattern, name string) bool {
	parts := strings.Split(strings.TrimSuffix(name, path.Ext(name)), "/")
	if len(parts) < 2 {
		return false
	}
	ok, err := path.Match(pattern, path.Join(parts[len(parts)-2:]...))
	return ok && err == nil
}

// TestStatements: each row of the table has a rule, a case or a reason, and names
// only those that exist.
func TestStatements(t *testing.T) {
	list := cases.All()
	seen := map[string]bool{}
	for _, s := range statements(t) {
		key := s.text + " " + s.section + ": " + s.sentence
		if seen[key] {
			t.Errorf("two rows %q", key)
		}
		seen[key] = true
		t.Run(key, func(t *testing.T) {
			for _, fault := range s.faults(list) {
				t.Error(fault)
			}
		})
	}
}

// TestRulesOfTexts: a rule whose basis in a version is the text is in a row of that
// text.
func TestRulesOfTexts(t *testing.T) {
	rows := map[[2]string]bool{}
	for _, s := range statements(t) {
		for _, name := range s.rules {
			rows[[2]string{s.text, name}] = true
		}
	}
	for r := range rule.All() {
		t.Run(r.Name, func(t *testing.T) {
			for text, versions := range texts {
				based := slices.ContainsFunc(versions, func(v rule.Versions) bool {
					return r.Versions.Has(v) && r.BasisIn(v) == rule.Text
				})
				if based && !rows[[2]string{text, r.Name}] {
					t.Errorf("has the basis text in %s and is in no row of it", text)
				}
			}
		})
	}
}

// TestStatementFaults tries rows with faults.
func TestStatementFaults(t *testing.T) {
	list := []cases.Case{{Name: "valid/header/minor-set.v6", Version: "6"}}
	for _, c := range []struct {
		name string
		row  statement
		want string
	}{
		{"rule", statement{"v6", "A", "b", []string{"NT-EVB-001"}, nil, ""}, ""},
		{"case", statement{"v6", "A", "b", nil, []string{"header/minor-*"}, ""}, ""},
		{"reason", statement{"v4/v5", "A", "b", nil, nil, "a permission"}, ""},
		{"nothing", statement{"v6", "A", "b", nil, nil, ""}, "neither rule, case nor reason"},
		{"unknown text", statement{"v7", "A", "b", nil, nil, "x"}, `no text "v7"`},
		{"no section", statement{"v6", "", "b", nil, nil, "x"}, "no section or no statement"},
		{"unknown rule", statement{"v6", "A", "b", []string{"NT-EVB-999"}, nil, ""}, "no rule NT-EVB-999"},
		{"rule of another version", statement{"v4/v5", "A", "b", []string{"NT6-BLK-001"}, nil, ""}, "NT6-BLK-001 does not apply to v4/v5"},
		{"unknown case", statement{"v6", "A", "b", nil, []string{"header/major-*"}, ""}, "no case header/major-* of v6"},
		{"case of another version", statement{"v4/v5", "A", "b", nil, []string{"header/minor-set"}, ""}, "no case header/minor-set of v4/v5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Equal(t, "faults", strings.Join(c.row.faults(list), "; "), c.want)
		})
	}
}
