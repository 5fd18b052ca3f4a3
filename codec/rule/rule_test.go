package rule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/internal/expect"
)

// split cuts a name into prefix and the rest.
func split(t *testing.T, name string) (prefix, key string) {
	t.Helper()
	prefix, key, ok := strings.Cut(name, "-")
	if !ok || strings.Count(key, "-") != 1 {
		t.Fatalf("%q is not PREFIX-GROUP-NUMBER", name)
	}
	return prefix, key
}

// TestTableOrder proves that the files of the groups have the rules in the order of the IDs.
func TestTableOrder(t *testing.T) {
	id := None
	for r := range All() {
		if id++; r.ID != id {
			t.Fatalf("rule %d of the catalogue is %s with ID %d", id, r.Name, r.ID)
		}
	}
	if id != Count-1 {
		t.Errorf("%d rules, and Count is %d", id, Count)
	}
}

// TestNumbers proves that the catalogue and the retired rules together hold every number of
// every group once, from 1 to the group's highest, and that each keeps the order.
func TestNumbers(t *testing.T) {
	var groups []string
	numbers := map[string][]int{}
	collect := func(name, list string, last map[string]int) {
		_, key := split(t, name)
		group, digits, _ := strings.Cut(key, "-")
		n, err := strconv.Atoi(digits)
		if err != nil || len(digits) != 3 {
			t.Fatalf("%q has no number of three digits", name)
		}
		if n <= last[group] {
			t.Errorf("%s: %s after number %d", list, name, last[group])
		}
		last[group] = n
		if numbers[group] == nil {
			groups = append(groups, group)
		}
		numbers[group] = append(numbers[group], n)
	}
	last, previous := map[string]int{}, ""
	for r := range All() {
		_, key := split(t, r.Name)
		group, _, _ := strings.Cut(key, "-")
		if group != previous && last[group] > 0 {
			t.Errorf("%s: its group is not in one place", r.Name)
		}
		previous = group
		collect(r.Name, "catalogue", last)
	}
	last = map[string]int{}
	for _, r := range Retired {
		collect(r.Name, "retired", last)
	}
	for _, group := range groups {
		slices.Sort(numbers[group])
		for i, n := range numbers[group] {
			if n != i+1 {
				t.Errorf("%s-%03d: neither a rule nor retired, or both", group, i+1)
				break
			}
		}
	}
}

func TestRetired(t *testing.T) {
	for _, r := range Retired {
		t.Run(r.Name, func(t *testing.T) {
			if id, ok := Parse(r.Name); ok {
				t.Errorf("%s is still in the catalogue as %v", r.Name, id)
			}
			for _, id := range r.Into {
				if id.Rule() == nil {
					t.Errorf("%s is merged into unknown ID %d", r.Name, id)
				}
			}
			checkText(t, r.Name+" reason", r.Reason)
		})
	}
}

func TestNames(t *testing.T) {
	for r := range All() {
		if id, ok := Parse(r.Name); !ok || id != r.ID {
			t.Errorf("Parse(%q) = %d, %v; want %d", r.Name, id, ok, r.ID)
		}
		if got := r.ID.String(); got != r.Name {
			t.Errorf("String of %d is %q, want %q", r.ID, got, r.Name)
		}
	}
	for _, s := range []string{"", "NT", "BLK-002", "nt6-blk-002", "NT6-BLK-2", "NT6-BLK-002 ", "NT-BLK-002", "NT6-MD6-008"} {
		t.Run(s, func(t *testing.T) {
			if id, ok := Parse(s); ok || id != None {
				t.Errorf("Parse(%q) = %v, %v; want none", s, id, ok)
			}
		})
	}
	for _, id := range []ID{None, Count, ^None} {
		t.Run(fmt.Sprint(id), func(t *testing.T) {
			if id.String() != "" || id.Rule() != nil {
				t.Errorf("ID %d is %q", id, id)
			}
		})
	}
	if got := BLK002.String(); got != "NT6-BLK-002" {
		t.Errorf("BLK002 is %q", got)
	}
	if got := MD4001.String(); got != "NT4-MD4-001" {
		t.Errorf("MD4001 is %q", got)
	}
}

func TestPrefix(t *testing.T) {
	versions := map[string][]Versions{
		"NT": {V4 | V5 | V6, V3 | V4 | V5 | V6}, "NT3": {V3}, "NT4": {V4 | V5}, "NT5": {V5}, "NT6": {V6},
	}
	for r := range All() {
		prefix, _ := split(t, r.Name)
		if !slices.Contains(versions[prefix], r.Versions) {
			t.Errorf("%s applies to versions %v", r.Name, r.Versions)
		}
	}
}

// bases are what findings of a severity can be based on.
var bases = map[Severity][]Basis{
	Error:       {Text, Reader},
	Warning:     {Text, Reader, Plausible},
	Information: {Fact},
}

// TestGrades compares severity and basis: an error rests on the text or on a
// reader in each of its versions, and a fact is information.
func TestGrades(t *testing.T) {
	for r := range All() {
		t.Run(r.Name, func(t *testing.T) {
			for _, v := range []Versions{V3, V4, V5, V6} {
				severities := []Severity{r.Severity}
				if r.BasisIn(v) != r.Basis && r.Also != 0 {
					severities = append(severities, r.Also)
				}
				fits := func(s Severity) bool { return slices.Contains(bases[s], r.BasisIn(v)) }
				expect.Equal(t, fmt.Sprintf("a severity of %v fits basis %q in version %v", severities, r.BasisIn(v), v),
					slices.ContainsFunc(severities, fits), true)
			}
			if r.Also != 0 && (r.Also >= r.Severity || r.Also.String() == "") {
				t.Errorf("severity %q, also %q", r.Severity, r.Also)
			}
			if _, key := split(t, r.Name); strings.HasPrefix(key, "PAY-") {
				expect.Equal(t, "a payload rule is an error", r.Severity == Error, false)
			}
		})
	}
}

// TestExceptions: the exception of a rule is a basis of its own for some of the
// rule's versions.
func TestExceptions(t *testing.T) {
	for r := range All() {
		if r.Except == (Exception{}) {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			expect.Equal(t, "Versions.Has(Except.Versions)", r.Versions.Has(r.Except.Versions), true)
			expect.Equal(t, "Except.Versions are all versions", r.Except.Versions == r.Versions, false)
			expect.Equal(t, "Except.Basis is the basis", r.Except.Basis == r.Basis, false)
			expect.Equal(t, "Except.Basis is a basis", r.Except.Basis.String() != "", true)
		})
	}
}

// TestBasisIn: the rules whose basis is the text in some versions only.
func TestBasisIn(t *testing.T) {
	for _, one := range []struct {
		id   ID
		want [4]Basis // in versions 3 to 6
	}{
		{PAY002, [4]Basis{Reader, Reader, Reader, Text}},
		{PAY008, [4]Basis{Reader, Reader, Reader, Text}},
		{REF002, [4]Basis{Text, Reader, Reader, Text}},
		{STK008, [4]Basis{Text, Reader, Reader, Text}},
		{STK011, [4]Basis{Text, Text, Text, Fact}},
		{ORD001, [4]Basis{Text, Reader, Reader, Text}},
		{CMP004, [4]Basis{Text, Text, Text, Plausible}},
		{EVB001, [4]Basis{Text, Text, Text, Text}},
	} {
		t.Run(one.id.String(), func(t *testing.T) {
			r := one.id.Rule()
			for i, want := range one.want {
				v := V3 << i
				expect.Equal(t, "BasisIn("+v.String()+")", r.BasisIn(v), want)
			}
			expect.Equal(t, "BasisIn(0)", r.BasisIn(0), r.Basis)
			expect.Equal(t, "BasisIn(all)", r.BasisIn(all), r.Basis)
		})
	}
}

func TestTexts(t *testing.T) {
	sentences := map[string]ID{}
	for r := range All() {
		checkText(t, r.Name+" sentence", r.Sentence)
		checkText(t, r.Name+" hint", r.Hint)
		if n := len(r.Sentence); n < 20 || n > 200 {
			t.Errorf("%s: sentence of %d bytes", r.Name, n)
		}
		if strings.Contains(r.Sentence, ". ") {
			t.Errorf("%s: more than one sentence", r.Name)
		}
		if id, ok := sentences[r.Sentence]; ok {
			t.Errorf("%s has the sentence of %v", r.Name, id)
		}
		sentences[r.Sentence] = r.ID
	}
}

// checkText wants one line that begins with no blank, ends with a full stop and
// prints everywhere.
func checkText(t *testing.T, what, text string) {
	t.Helper()
	if !strings.HasSuffix(text, ".") || strings.HasSuffix(text, "..") {
		t.Errorf("%s: no full stop: %q", what, text)
	}
	if strings.TrimSpace(text) != text || strings.Contains(text, "  ") {
		t.Errorf("%s: stray blanks: %q", what, text)
	}
	for _, c := range text {
		if c < ' ' || c > '~' {
			t.Errorf("%s: character %q", what, c)
		}
	}
}

// TestHeadings wants a heading for whatever rests on the text, from the
// description that covers the rule's versions.
func TestHeadings(t *testing.T) {
	shared := []string{headingUncompressed, headingCompression, headingSequence, headingSorting, headingStackBlock}
	only45 := []string{
		headingStreamHeader45, headingObjects45, headingTraceBlock45, headingRemaining45, headingEventBlock45,
		headingMetadataBlock45, headingMetadataEvent45, headingSequencePoint45, headingEndOfStream45,
		headingForwardCompatibility45,
	}
	for r := range All() {
		switch {
		case r.Heading == "":
			if r.Basis == Text {
				t.Errorf("%s rests on the text under no heading", r.Name)
			}
		case slices.Contains(shared, r.Heading):
		case slices.Contains(only45, r.Heading) == r.Versions.Has(V6):
			t.Errorf("%s, for versions %v, has the heading %q", r.Name, r.Versions, r.Heading)
		}
	}
}

func TestStrings(t *testing.T) {
	tests := []struct{ got, want string }{
		{Information.String(), "information"}, {Warning.String(), "warning"}, {Error.String(), "error"},
		{Severity(0).String(), ""}, {Severity(4).String(), ""}, {Severity(255).String(), ""},
		{Text.String(), "text"}, {Reader.String(), "reader"}, {Plausible.String(), "plausible"}, {Fact.String(), "fact"},
		{Basis(0).String(), ""}, {Basis(5).String(), ""},
		{V3.String(), "3"}, {(V4 | V5).String(), "4,5"}, {(V3 | V4 | V5 | V6).String(), "3,4,5,6"}, {Versions(0).String(), ""},
	}
	for _, test := range tests {
		t.Run(test.want, func(t *testing.T) {
			if test.got != test.want {
				t.Errorf("got %q, want %q", test.got, test.want)
			}
		})
	}
	if Information >= Warning || Warning >= Error {
		t.Error("severities are not ordered")
	}
	expect.Equal(t, "(V4 | V5).Has(V4)", (V4 | V5).Has(V4), true)
	expect.Equal(t, "(V4 | V5).Has(V4 | V6)", (V4 | V5).Has(V4|V6), false)
	expect.Equal(t, "V6.Has(V3)", V6.Has(V3), false)
}

func TestAllStops(t *testing.T) {
	n := 0
	for r := range All() {
		if n++; r.ID == HDR003 {
			break
		}
	}
	if n != 3 {
		t.Errorf("yielded %d rules, want 3", n)
	}
}

func TestNoAllocation(t *testing.T) {
	var sink int
	got := testing.AllocsPerRun(100, func() {
		sink += len(PAY012.String())
		if _, ok := Parse("NT-LIM-010"); ok {
			sink++
		}
	})
	if got != 0 {
		t.Errorf("%v allocations", got)
	}
	_ = sink
}
