package provider_test

import (
	"fmt"
	"math/bits"
	"reflect"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/internal/expect"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]eventpipe.Provider{
		"A":                        {Name: "A", Level: 4},
		"A:":                       {Name: "A", Level: 4},
		"A:0x10":                   {Name: "A", Keywords: 0x10, Level: 4},
		"A:10:verbose":             {Name: "A", Keywords: 0x10, Level: 5},
		"A:FFFFFFFFFFFFFFFF:9":     {Name: "A", Keywords: 1<<64 - 1, Level: 5},
		"A::LogAlways":             {Name: "A"},
		"A:1:2:k=v;l=\"a=b;c\"":    {Name: "A", Keywords: 1, Level: 2, Arguments: "k=v;l=\"a=b;c\""},
		"A:::x=http://h:80/p,q,r":  {Name: "A", Level: 4, Arguments: "x=http://h:80/p,q,r"},
		" Name.With-Dots : 0x1 :5": {Name: "Name.With-Dots", Keywords: 1, Level: 5},
		"My Source:1":              {Name: "My Source", Keywords: 1, Level: 4},
	} {
		t.Run(want.Name, func(t *testing.T) {
			got, err := provider.Parse(text)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
			}
		})
	}
	for _, text := range []string{"A,B:0x1", "", ":1", "A:xyz", "A:1:loud", "A:10000000000000000", "A:1:-1"} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if got, err := provider.Parse(text); err == nil {
				t.Errorf("%+v, no error", got)
			}
		})
	}
}

func TestParseList(t *testing.T) {
	got, err := provider.ParseList("A:1:5:k=v, B,,C:2")
	want := []eventpipe.Provider{{Name: "A", Keywords: 1, Level: 5, Arguments: "k=v"}, {Name: "B", Level: 4}, {Name: "C", Keywords: 2, Level: 4}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestParseFilter(t *testing.T) {
	for text, want := range map[string]eventpipe.EventFilter{
		"A:+1,2": {IDs: []uint32{1, 2}},
		"A:-80":  {IDs: []uint32{80}, Deny: true},
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			name, got, err := provider.ParseFilter(text)
			expect.NoError(t, err)
			expect.Equal(t, "name", name, "A")
			if !reflect.DeepEqual(*got, want) {
				t.Errorf("result: got %v, want %v", *got, want)
			}
		})
	}
	for _, text := range []string{"", "A", "A:", "A:1", "A:+", "A:+x", ":+1", "A:+1,,2", "A:-4294967296"} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if _, got, err := provider.ParseFilter(text); err == nil {
				t.Errorf("%+v, no error", got)
			}
		})
	}
}

// resolved is the expected result of a selection, or the start of the error.
func TestResolve(t *testing.T) {
	one := func(text string) []eventpipe.Provider {
		list, err := provider.ParseList(text)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	const clrName = provider.Runtime
	for _, c := range []struct {
		name    string
		in      provider.Selection
		want    string // providers as Name:keywords:level
		rundown uint64
		err     string
	}{
		{name: "nothing", want: clrName + ":100003801d:4 " + provider.SampleProfiler + ":f00000000000:4"},
		{name: "profile", in: provider.Selection{Profiles: []string{"GC-Verbose"}}, want: clrName + ":8003:5"},
		{name: "async", in: provider.Selection{Profiles: []string{"async"}}, want: provider.SampleProfiler + ":f00000000000:4 " + provider.Tasks + ":7f:5 " + provider.AsyncProfiler + ":3feff:4"},
		{name: "profiles are joined", in: provider.Selection{Profiles: []string{"dotnet-common", "gc-verbose"}}, want: clrName + ":100003801f:5"},
		{name: "gc-collect", in: provider.Selection{Profiles: []string{"gc-collect"}}, want: clrName + ":1:4 " + provider.RuntimePrivate + ":1:4", rundown: 1},
		{name: "gc-collect and another", in: provider.Selection{Profiles: []string{"gc-collect", "dotnet-common"}}, want: clrName + ":100003801d:4 " + provider.RuntimePrivate + ":1:4"},
		{name: "providers alone", in: provider.Selection{Providers: one("A:1")}, want: "A:1:4"},
		{name: "a provider before a profile", in: provider.Selection{Providers: one(clrName + ":2:5"), Profiles: []string{"dotnet-common"}}, want: clrName + ":2:5"},
		{name: "twice", in: provider.Selection{Providers: one("A:1:2,a:2:3")}, want: "A:3:3"},
		{name: "LogAlways wins", in: provider.Selection{Providers: one("A:1:5,A:2:0")}, want: "A:3:0"},
		{name: "other arguments", in: provider.Selection{Providers: one("A:1:5:x=1,A:1:5:x=2")}, err: "provider A is given twice"},
		{name: "clrevents", in: provider.Selection{CLREvents: "gc+Exception", CLREventLevel: "verbose"}, want: clrName + ":8001:5"},
		{name: "clrevents after a profile", in: provider.Selection{CLREvents: "gc", Profiles: []string{"dotnet-sampled-thread-time"}}, want: provider.SampleProfiler + ":f00000000000:4 " + clrName + ":1:4"},
		{name: "clrevents without effect", in: provider.Selection{CLREvents: "gc", Profiles: []string{"gc-verbose"}}, want: clrName + ":8003:5"},
		{name: "no such keyword", in: provider.Selection{CLREvents: "gc+x"}, err: `"x" is not a keyword`},
		{name: "profile of older versions", in: provider.Selection{Profiles: []string{"CPU-Sampling"}}, err: `"CPU-Sampling" is a profile of dotnet-trace before version 10`},
		{name: "no such profile", in: provider.Selection{Profiles: []string{"x"}}, err: `"x" is not a profile`},
		{name: "a filter for a missing provider", in: provider.Selection{Providers: one("A"), Filters: []string{"B:+1"}}, err: "event filter"},
		{name: "two filters", in: provider.Selection{Providers: one("A"), Filters: []string{"A:+1", "A:-1"}}, err: "event filter"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.in.Resolve()
			if c.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), c.err) {
					t.Errorf("%v; want %s", err, c.err)
				}
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			var text []string
			for _, p := range got.Providers {
				text = append(text, p.Name+":"+hex(p.Keywords)+":"+string(rune('0'+p.Level)))
			}
			s := strings.Join(text, " ")
			expect.Equal(t, "providers", s, c.want)
			expect.Equal(t, "Rundown", got.Rundown, c.rundown)
			expect.Equal(t, "len(got.Origins)", len(got.Origins), len(got.Providers))
		})
	}
}

func hex(n uint64) string {
	const digits = "0123456789abcdef"
	var b []byte
	for shift := max(0, bits.Len64(n)-1) / 4 * 4; shift >= 0; shift -= 4 {
		b = append(b, digits[n>>shift&15])
	}
	return string(b)
}

// TestJoinedArguments: the lines that select events of a DiagnosticSource add up. Other
// arguments do not.
func TestJoinedArguments(t *testing.T) {
	const specs = "FilterAndPayloadSpecs="
	for _, c := range []struct{ name, first, second, want, err string }{
		{"none and some", "", "x=1", "x=1", ""},
		{"some and none", "x=1", "", "x=1", ""},
		{"equal", "x=1", "x=1", "x=1", ""},
		{"lines", specs + `"A/B"`, specs + `"C/D:-E;F"`, specs + "\"A/B\nC/D:-E;F\"", ""},
		{"others", "x=1", "x=2", "", "different arguments"},
		{"lines and others", specs + `"A/B"`, "x=2", "", "different arguments"},
		{"lines with others", specs + `"A/B"`, specs + `"C/D";x="2"`, "", "different arguments"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := provider.Selection{Providers: []eventpipe.Provider{{Name: "A", Arguments: c.first}, {Name: "A", Arguments: c.second}}}
			got, err := s.Resolve()
			if c.err != "" {
				expect.Contains(t, "error", fmt.Sprint(err), c.err)
				return
			}
			expect.NoError(t, err)
			expect.Equal(t, "arguments", got.Providers[0].Arguments, c.want)
		})
	}
	t.Run("profiles", func(t *testing.T) {
		s := provider.Selection{Profiles: []string{"requests", "database"}}
		got, err := s.Resolve()
		expect.NoError(t, err)
		for _, p := range got.Providers {
			if p.Name == provider.Diagnostics {
				expect.Contains(t, "arguments", p.Arguments, "HttpRequestIn.Stop@", "Database.Command.CommandExecuted@")
			}
		}
	})
}

func TestFiltersResolve(t *testing.T) {
	s := provider.Selection{Providers: []eventpipe.Provider{{Name: "A"}}, Filters: []string{"a:+1", "A:+2,3"}}
	r, err := s.Resolve()
	if err != nil || !reflect.DeepEqual(r.Providers[0].Filter, &eventpipe.EventFilter{IDs: []uint32{1, 2, 3}}) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestNamesMethods: JIT events have names at level 5 only.
func TestNamesMethods(t *testing.T) {
	for name, want := range map[string]bool{"dotnet-common": false, "flight": true, "gc-verbose": false, "database": false} {
		t.Run(name, func(t *testing.T) {
			r, err := (&provider.Selection{Profiles: []string{name}}).Resolve()
			if err != nil || r.NamesMethods() != want {
				t.Errorf("%v, %v", r.NamesMethods(), err)
			}
		})
	}
}

// TestRuntimeKeywords: the names agree with the runtime's own manifest.
func TestRuntimeKeywords(t *testing.T) {
	masks := map[uint64]bool{}
	for _, k := range provider.RuntimeKeywords {
		masks[k.Mask] = true
		names, rest := clr.KeywordNames(provider.Runtime, k.Mask)
		if rest != 0 && k.Mask != 0x800 && len(names) == 0 {
			t.Logf("%s (%#x) has no name in the manifest", k.Name, k.Mask)
		}
		if bits.OnesCount64(k.Mask) != 1 {
			t.Errorf("%s: %#x", k.Name, k.Mask)
		}
	}
	for _, name := range []string{"GC", "Jit", "Exception", "Contention", "Threading", "Loader", "WaitHandle"} {
		t.Run(name, func(t *testing.T) {
			mask, err := provider.ParseRuntimeKeywords(name)
			expect.NoError(t, err)
			names, rest := clr.KeywordNames(provider.Runtime, mask)
			expect.Equal(t, "names", strings.TrimSuffix(strings.Join(names, " "), "Keyword"), name)
			expect.Equal(t, "bits without a name", rest, 0)
		})
	}
}

func TestRundownKeyword(t *testing.T) {
	for _, c := range []struct {
		value   any
		keyword uint64
		off     bool
	}{
		{nil, 0, false}, {true, 0, false}, {false, 0, true}, {"true", 0, false}, {"false", 0, true}, {"0x1", 1, false}, {"0", 0, true}, {int64(16), 16, false},
	} {
		t.Run(fmt.Sprint(c.value), func(t *testing.T) {
			keyword, off, err := provider.RundownKeyword(c.value)
			expect.NoError(t, err)
			expect.Equal(t, "keyword", keyword, c.keyword)
			expect.Equal(t, "off", off, c.off)
		})
	}
	if _, _, err := provider.RundownKeyword("perhaps"); err == nil {
		t.Error("the value perhaps is accepted")
	}
}
