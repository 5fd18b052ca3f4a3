package browser

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// pieces are parts of names that mean something in HTML, scripts, style sheets, addresses,
// regular expressions, shells or spreadsheets, or that change how text is shown.
var pieces = []string{
	"<script>", "</script>", "<!--", "-->", "]]>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "javascript:alert(1)", "&lt;", "&#60;", "&amp", "\"", "'", "`", "${alert(1)}",
	"{{7*7}}", "</style>", "@import url(//x.example)", "url(javascript:1)", "expression(1)", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\u202e", "\u2066", "\u200b", "\ufeff", "\u2028", "\u0007", "\u001b[2J",
	"__proto__", "constructor", "toString", "prototype", "hasOwnProperty", "undefined", "null", "NaN", "(", ")", "[", "]", "{", "}", "*", "+", "?", "|", "^", "$", "\\", "\\u003c", ".", "..", "../", "%3Cscript%3E", "?q=", "#/top", "&type=", ",", ";",
	"$(id)", "`id`", "\n", "\r\n", "\t", " ", "<T>", "`1", "<>c__DisplayClass", "日本", "🙂", "é", "a", "Namespace.", "Method",
}

// TestNames renders random names on each page of the viewer. It fails on any error of a
// script, violation of the policy, request, or element that a name makes. It is a fuzz
// target that is bounded by a count: the names of one trace, in make nightly those of 50,
// with other ones each time.
func TestNames(t *testing.T) {
	rounds, seed := 1, uint64(1)
	if tier.Nightly {
		rounds, seed = 50, rand.Uint64()
	}
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range rounds {
		p := open(t, reportOf(t, written(t, namesTrace(random, 60)))+"#/summary")
		for _, name := range []string{"flame", "top", "tree", "time", "gc", "exceptions", "threads", "trace", "summary"} {
			p.checkNames(t, "#/"+name+"?type=wall")
		}
		for range 5 {
			q := randomName(random)
			p.checkNames(t, "#/"+strings.NewReplacer("?", "", "&", "").Replace(q)+"?type=wall&q="+escaped(q)+"&hide="+escaped(q)+"&"+escaped(q)+"="+escaped(q))
		}
		expect.Len(t, "requests", p.seen(), 1)
	}
}

// checkNames opens an address in the page and looks for what a name could have made.
func (p *page) checkNames(t *testing.T, hash string) {
	t.Helper()
	p.evaluate(t, "(location.hash = "+quoted(hash)+", '')", new(string))
	p.frame(t)
	var made struct {
		Elements int
		Text     string
	}
	p.evaluate(t, `({Elements: document.querySelectorAll('script:not([type]), img, svg, iframe, object, style').length, Text: document.body.innerText})`, &made)
	expect.Equal(t, "scripts, style sheets and pictures with "+quoted(hash), made.Elements, 2)
	expect.Lacks(t, "text of the page", made.Text, "\u202e", "\u2066", "\u200b", "\u0007", "\u001b")
	expect.Lacks(t, "text of the page", made.Text, "This is an error in the page")
}

// escaped returns a text as a part of an address.
func escaped(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// randomName joins some pieces.
func randomName(random *rand.Rand) string {
	name := ""
	for range 1 + random.IntN(5) {
		name += pieces[random.IntN(len(pieces))]
	}
	return name
}

// namesTrace makes a trace whose namespaces, methods, signatures, modules, threads and
// exceptions have random names.
func namesTrace(random *rand.Rand, methods int) *tracetest.Trace {
	m := tracetest.New(wire.V4)
	name := func() []uint16 { return text16(randomName(random)) }
	m.Add(tracetest.Event{At: 1, Thread: 1, ID: 152, Version: 2, Payload: []any{uint64(1), uint64(1), uint32(0), uint32(0), name(), name(), uint16(0), make([]byte, 16), uint32(1), name(), make([]byte, 16), uint32(1), name()}})
	for i := range methods {
		m.Add(tracetest.Event{At: 1, Thread: 1, ID: 143, Version: 2, Payload: []any{
			uint64(i + 1), uint64(1), method(i), uint32(0x100), uint32(i), uint32(0), name(), name(), name(), uint16(0), uint64(0)}})
	}
	for at := range uint64(200) {
		stack := []uint64{method(random.IntN(methods)) + 0x10, method(random.IntN(methods)) + 0x10, method(random.IntN(methods)) + 0x10}
		m.Add(tracetest.Event{At: 1000 * at, Thread: 1 + at%3, Provider: "Microsoft-DotNETCore-SampleProfiler", Version: 1, Stack: stack, Payload: []any{uint32(2)}})
	}
	for i := range 5 {
		m.Add(tracetest.Event{At: uint64(1000 * i), Thread: 1, ID: 80, Version: 1, Payload: []any{name(), name(), uint64(0), uint32(0), uint16(0), uint16(0)}})
	}
	return m
}
