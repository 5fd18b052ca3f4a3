package symbols

import "testing"

// TestSplitJitted: symbols as perf maps have them.
func TestSplitJitted(t *testing.T) {
	for _, c := range []struct{ text, raw, name string }{
		{"void [System.Private.CoreLib] System.Foo::Bar(int32,class System.String)[Tier0]",
			"System.Private.CoreLib!System.Foo.Bar(int32,class System.String)", "System.Foo.Bar(int, string)"},
		{"instance class System.String [app] A.B`1[System.__Canon]::Get(!0)[OptimizedTier1]", "app!A.B`1[System.__Canon].Get(!0)", "A.B<__Canon>.Get(__Canon)"},
		{"int32[] [app] Top::M()[PreJIT]", "app!Top.M()", "Top.M()"},
		{"[app] Top::M()[PreJIT]", "app!Top.M()", "Top.M()"},
		{"void [app] Top::M(int32[])", "app!Top.M(int32[])", "Top.M(int[])"},
		{"operator new[](unsigned long)", "libc!operator new[](unsigned long)", "operator new[](unsigned long)"},
		{"std::vector<int>::push_back(int)", "libc!std::vector<int>::push_back(int)", "std::vector<int>::push_back(int)"},
		{"memcpy", "libc!memcpy", "memcpy"},
		{"", "libc!", ""},
	} {
		s := Symbol{Module: &Module{name: "libc"}, Method: c.text}
		s.splitJitted()
		if s.RawName() != c.raw || s.Name() != c.name {
			t.Errorf("%s\n got %s and %s\nwant %s and %s", c.text, s.RawName(), s.Name(), c.raw, c.name)
		}
	}
}
