package trigger

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/internal/bytesize"
)

// Parse parses a rule. The error is a *SyntaxError, or an *ImpossibleError if
// the rule names a counter, an event or a field that does not exist.
func Parse(text string) (*Rule, error) {
	tokens, err := split(text)
	if err != nil {
		return nil, err
	}
	p := &parser{text: text, tokens: tokens}
	r, err := p.rule()
	if err != nil {
		return nil, err
	}
	r.text = strings.TrimSpace(text)
	return r, r.check()
}

// parser reads the tokens of a rule.
type parser struct {
	text   string
	tokens []token
	next   int
}

func (p *parser) peek() *token { return &p.tokens[p.next] }

// take returns the next token. The end stays.
func (p *parser) take() *token {
	t := p.peek()
	if !t.end {
		p.next++
	}
	return t
}

func (p *parser) fail(pos int, reason string) error { return &SyntaxError{p.text, pos, reason} }

// rule parses a whole rule.
func (p *parser) rule() (*Rule, error) {
	subject := p.take()
	if !subject.word() || subject.quoted || subject.text == "" {
		return nil, p.fail(subject.pos, "a counter, an event or a measure is missing (gc-pause > 200ms)")
	}
	name, field, has := strings.Cut(subject.text, ":")
	if m, ok := measures[name]; ok && !has {
		return p.measure(m)
	}
	if name == "" {
		return nil, p.fail(subject.pos, "the name before the colon is missing")
	}
	var conditions []condition
	if has {
		at := subject.pos + len(name) + 1
		var err error
		if conditions, err = p.conditions(token{text: field, pos: at}); err != nil {
			return nil, err
		}
	}
	return p.named(token{text: name, pos: subject.pos}, conditions)
}

// conditions parses a list of conditions; the first field was read already. A
// field without comparison is the quantile of a histogram.
func (p *parser) conditions(field token) (list []condition, err error) {
	for {
		c := condition{field: field.text}
		if field.text == "" {
			return nil, p.fail(field.pos, "the name of a field is missing")
		}
		if t := p.peek(); t.op != opNone && !p.beforeThreshold(field) {
			p.take()
			value := p.take()
			if !value.word() {
				return nil, p.fail(value.pos, "a value is missing")
			}
			c.op, c.value = t.op, glob(value.text)
			if c.op.ordered() {
				if c.number, err = strconv.ParseFloat(value.text, 64); err != nil {
					return nil, p.fail(value.pos, "a comparison by "+c.op.String()+" needs a number")
				}
			}
		}
		list = append(list, c)
		if !p.peek().comma {
			return list, nil
		}
		p.take()
		next := p.take()
		if !next.word() {
			return nil, p.fail(next.pos, "the name of a field is missing")
		}
		field = *next
	}
}

// beforeThreshold reports whether the comparison after a field is that of the
// rule: the field is a quantile.
func (p *parser) beforeThreshold(field token) bool {
	_, ok := parseQuantile(field.text)
	return ok
}

// measure parses what follows the name of a measure.
func (p *parser) measure(m measure) (*Rule, error) {
	r := &Rule{subject: subjectCounter, counter: m.counter, spans: m.spans}
	if m.spans != nil {
		r.subject = subjectSpan
	}
	compare := p.take()
	if compare.op == opNone {
		return nil, p.fail(compare.pos, "a comparison is missing (gc-pause > 200ms)")
	}
	r.op = compare.op
	value := p.take()
	var err error
	switch m.unit {
	case unitTime:
		var d time.Duration
		d, err = time.ParseDuration(value.text)
		r.threshold = float64(d)
		if err != nil || d < 0 {
			return nil, p.fail(value.pos, `a time with its unit is missing ("200ms", "2s")`)
		}
		return r, p.end()
	case unitSize:
		var size int64
		if size, err = bytesize.Parse(value.text); err != nil {
			return nil, p.fail(value.pos, `a size with its unit is missing ("500MB", "2GiB")`)
		}
		r.threshold = float64(size) / m.scale
	default:
		if r.threshold, err = p.number(value, value.text); err != nil {
			return nil, err
		}
	}
	return r, p.lasting(r)
}

// number parses the text of a token, or a part of it, as a number.
func (p *parser) number(t *token, text string) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return 0, p.fail(t.pos, "a number is missing")
	}
	return n, nil
}

// named parses what follows the name and the conditions of an event or a
// counter.
func (p *parser) named(name token, conditions []condition) (*Rule, error) {
	compare := p.take()
	if compare.end {
		return p.event(name, conditions)
	}
	if compare.op == opNone {
		return nil, p.fail(compare.pos, "a comparison is missing")
	}
	value := p.take()
	if !value.word() {
		return nil, p.fail(value.pos, "a threshold is missing")
	}
	number, per, isRate := strings.Cut(value.text, "/")
	n, err := p.number(value, number)
	if err != nil {
		if _, e := time.ParseDuration(number); e == nil {
			return nil, p.fail(name.pos, "a time needs a measure: "+strings.Join(timeMeasures(), ", "))
		}
		return nil, err
	}
	if !isRate {
		return p.counter(name, conditions, compare.op, n)
	}
	r, err := p.event(name, conditions)
	if err != nil {
		return nil, err
	}
	if r.per, err = parsePer(per); err != nil {
		return nil, p.fail(value.pos+len(number)+1, `a time is missing ("10/s", "100/1m")`)
	}
	if compare.op != opOver && compare.op != opAtLeast || n < 0 {
		return nil, p.fail(compare.pos, "a rate can only be over a number: > or >=")
	}
	r.op, r.threshold = compare.op, n
	return r, p.end()
}

// parsePer parses the time of a rate: a unit, or a time.
func parsePer(text string) (time.Duration, error) {
	if text == "s" || text == "m" || text == "h" || text == "ms" {
		text = "1" + text
	}
	d, err := time.ParseDuration(text)
	if err == nil && (d < time.Millisecond || d > maxPer) {
		err = strconv.ErrRange
	}
	return d, err
}

// maxPer is the longest time of a rate.
const maxPer = 24 * time.Hour

// event makes a rule about an event.
func (p *parser) event(name token, conditions []condition) (*Rule, error) {
	source, event, ok := strings.Cut(name.text, "/")
	if !ok {
		source, event = defaultProvider, name.text
	}
	if source == "" || event == "" {
		return nil, p.fail(name.pos, "an event is PROVIDER/NAME, PROVIDER/ID, or the name of an event of the runtime")
	}
	for i := range conditions {
		if conditions[i].op == opNone {
			return nil, p.fail(name.pos, "the condition "+conditions[i].field+" has no comparison")
		}
	}
	m := newMatch(source, event)
	m.conditions = conditions
	return &Rule{subject: subjectEvent, match: *m}, nil
}

// counter makes a rule about a counter.
func (p *parser) counter(name token, conditions []condition, compare op, threshold float64) (*Rule, error) {
	source, counterName, ok := strings.Cut(name.text, "/")
	if !ok || source == "" || counterName == "" {
		return nil, p.fail(name.pos, "a counter is PROVIDER/NAME, and the rate of an event has a time: EVENT > 10/s")
	}
	r := &Rule{subject: subjectCounter, op: compare, threshold: threshold, counter: counter{provider: source, name: counterName}}
	for _, c := range conditions {
		if c.op == opNone {
			r.counter.quantile, ok = parseQuantile(c.field)
			if !ok {
				return nil, p.fail(name.pos, "the condition "+c.field+" has no comparison, and is no quantile (p95)")
			}
			continue
		}
		r.counter.tags = append(r.counter.tags, c)
	}
	return r, p.lasting(r)
}

// parseQuantile parses p50, p95 or p99, the quantiles that .NET reports.
func parseQuantile(text string) (float64, bool) {
	q, ok := map[string]float64{"p50": 0.5, "p95": 0.95, "p99": 0.99}[text]
	return q, ok
}

// lasting parses "for TIME", which can be missing, and the end.
func (p *parser) lasting(r *Rule) error {
	if t := p.peek(); !t.word() || t.text != "for" {
		return p.end()
	}
	p.take()
	value := p.take()
	d, err := time.ParseDuration(value.text)
	if err != nil || d <= 0 {
		return p.fail(value.pos, `a time is missing after "for" ("10s", "5m")`)
	}
	r.lasting = d
	return p.end()
}

// end returns an error unless all tokens were read.
func (p *parser) end() error {
	if t := p.peek(); !t.end {
		return p.fail(t.pos, "the rule should end here")
	}
	return nil
}
