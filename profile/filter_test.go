package profile_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/profile"
)

// framesOf counts the samples of type Wall, and the frames that a function
// accepts.
func framesOf(p *profile.Profile, accepts func(*profile.Function) bool) (samples, frames int) {
	for s := range p.Samples(profile.Wall) {
		samples++
		for _, f := range p.Stack(s.Stack) {
			if accepts(p.Function(p.Frame(f).Function)) {
				frames++
			}
		}
	}
	return samples, frames
}

// TestFilter: selections of samples add up to all of them, and changes of stacks
// change no value and no state.
func TestFilter(t *testing.T) {
	const trace = "net10-mix-cpu.v4"
	mix := regexp.MustCompile(`Corners!Mix`)
	isMix := func(f *profile.Function) bool { return mix.MatchString(f.RawName) }
	all := read(t, trace, profile.Options{})
	wall, states := sum(all, profile.Wall), fmt.Sprint(all.TimeByState())

	focus := read(t, trace, profile.Options{Filter: profile.Filter{Focus: mix}})
	ignore := read(t, trace, profile.Options{Filter: profile.Filter{Ignore: mix}})
	t.Run("focus", func(t *testing.T) {
		samples, frames := framesOf(focus, isMix)
		expect.AtLeast(t, "frames of Mix", frames, samples)
		expect.NotZero(t, "samples", samples)
	})
	t.Run("ignore", func(t *testing.T) {
		_, frames := framesOf(ignore, isMix)
		expect.Equal(t, "frames of Mix", frames, 0)
		expect.Equal(t, "sum of focus and ignore", sum(focus, profile.Wall)+sum(ignore, profile.Wall), wall)
	})
	for _, c := range []struct {
		name   string
		filter profile.Filter
		bad    func(*profile.Function) bool // no frame is so
		good   func(*profile.Function) bool // some frame is so
	}{
		{"hide", profile.Filter{Hide: mix}, isMix, func(f *profile.Function) bool { return f.Module == "System.Private.CoreLib" }},
		{"only", profile.Filter{Only: mix}, func(f *profile.Function) bool { return !isMix(f) && f.Name != "[hidden frames]" }, isMix},
		{"just my code", profile.Filter{JustMyCode: true}, func(f *profile.Function) bool { return f.Symbol != nil && profile.IsFramework(f) }, isMix},
		{"modules", profile.Filter{Group: profile.GroupModule}, func(f *profile.Function) bool { return f.Symbol != nil },
			func(f *profile.Function) bool { return f.Name == "Corners" }},
		{"namespaces", profile.Filter{Group: profile.GroupNamespace}, func(f *profile.Function) bool { return f.Symbol != nil },
			func(f *profile.Function) bool { return f.Name == "System.Threading" }},
		{"assemblies", profile.Filter{Group: profile.GroupAssembly}, func(f *profile.Function) bool { return f.Symbol != nil },
			func(f *profile.Function) bool { return f.Name == "System.Private.CoreLib" }},
	} {
		for _, fold := range []bool{false, true} {
			t.Run(c.name+map[bool]string{true: " folded"}[fold], func(t *testing.T) {
				p := read(t, trace, profile.Options{Filter: c.filter, FoldRecursion: fold})
				_, bad := framesOf(p, c.bad)
				_, good := framesOf(p, c.good)
				expect.Equal(t, "frames that are filtered", bad, 0)
				expect.NotZero(t, "frames that stay", good)
				expect.Equal(t, "sum in nanoseconds", sum(p, profile.Wall), wall)
				expect.Equal(t, "time by state", fmt.Sprint(p.TimeByState()), states)
			})
		}
	}
}

// TestGroupsFollow: no group follows itself in a stack.
func TestGroupsFollow(t *testing.T) {
	p := read(t, "net10-mix-cpu.v4", profile.Options{Filter: profile.Filter{Group: profile.GroupModule}})
	for s := range p.Samples(profile.Wall) {
		frames := p.Stack(s.Stack)
		for i := 1; i < len(frames); i++ {
			if frames[i] == frames[i-1] {
				t.Fatalf("stack %d: frame %d is the same group as the one above", s.Stack, i)
			}
		}
	}
}

// TestClass selects allocations by class.
func TestClass(t *testing.T) {
	class := regexp.MustCompile(`[Ss]tring`)
	all := read(t, "aspnet-net10.v4", profile.Options{Types: []profile.Type{profile.Alloc}})
	p := read(t, "aspnet-net10.v4", profile.Options{Types: []profile.Type{profile.Alloc}, Filter: profile.Filter{Class: class}})
	want := int64(0)
	for s := range all.Samples(profile.Alloc) {
		for _, l := range all.Labels(&s) {
			if l.Key == "allocation class" && class.MatchString(l.Text) {
				want += s.Value
			}
		}
	}
	expect.NotZero(t, "bytes of strings", want)
	expect.AtMost(t, "bytes of strings", want, sum(all, profile.Alloc)-1)
	expect.Equal(t, "bytes of the selected samples", sum(p, profile.Alloc), want)
}

// TestIsFramework knows the framework by the folders and by the names of modules.
func TestIsFramework(t *testing.T) {
	at := func(path string) *symbols.Symbol { return &symbols.Symbol{Module: &symbols.Module{Path: path}} }
	for _, c := range []struct {
		name     string
		function profile.Function
		want     bool
	}{
		{"native", profile.Function{}, true},
		{"name", profile.Function{Module: "System.Linq", Symbol: at("/app/System.Linq.dll")}, true},
		{"exact name", profile.Function{Module: "mscorlib", Symbol: at("")}, true},
		{"longer than an exact name", profile.Function{Module: "mscorlib2", Symbol: at("")}, false},
		{"folder", profile.Function{Module: "Other", Symbol: at("/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.9/Other.dll")}, true},
		{"folder on Windows", profile.Function{Module: "Other", Symbol: at(`C:\dotnet\shared\Microsoft.AspNetCore.App\8.0.1\Other.dll`)}, true},
		{"own", profile.Function{Module: "Shop", Symbol: at("/app/Shop.dll")}, false},
		{"a prefix without a dot", profile.Function{Module: "SystemShop", Symbol: at("/app/SystemShop.dll")}, false},
	} {
		t.Run(c.name, func(t *testing.T) { expect.Equal(t, "framework", profile.IsFramework(&c.function), c.want) })
	}
}
