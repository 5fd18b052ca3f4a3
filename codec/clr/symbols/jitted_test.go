package symbols

import "testing"

// TestSplitJitted: symbols as perf maps have them, in memory of the runtime. The
// raw names are those of TraceEvent.
func TestSplitJitted(t *testing.T) {
	for _, c := range []struct{ text, raw, name string }{
		{"void [System.Private.CoreLib] System.Foo::Bar(int32,class System.String)[Tier0]",
			"System.Private.CoreLib!System.Foo::Bar(int32,class System.String)", "System.Foo.Bar(int, string)"},
		{"instance class System.String [app] A.B`1[System.__Canon]::Get(!0)[OptimizedTier1]", "app!A.B`1[System.__Canon]::Get(!0)", "A.B<__Canon>.Get(__Canon)"},
		{"class X[] [app] A::B()[T]", "app!A::B()", "A.B()"},
		{"int32[] [app] A.B::M(int32[])[T1][T2]", "app!A.B::M(int32[])[T1]", "A.B.M(int[])"},
		{"a [a] [b] C::D()[T]", "a![b] C::D()", "[b] C.D()"},
		{"void [app]  A::B() [T]", "app!A::B()", "A.B()"},
		{"void [a.dll] A::B()[T]", "a!A::B()", "A.B()"},
		{"v [m] f[y]", "m!f", "f"},

		// No such symbols.
		{"[app] Top::M()[PreJIT]", "unknown![app] Top::M()[PreJIT]", "[app] Top::M()[PreJIT]"},
		{" [app] A::B()[T]", "unknown! [app] A::B()[T]", " [app] A::B()[T]"},
		{"void [app] A::B()[]", "unknown!void [app] A::B()[]", "void [app] A::B()[]"},
		{"void [] A::B()[T]", "unknown!void [] A::B()[T]", "void [] A::B()[T]"},
		{"void [app] [T]", "unknown!void [app] [T]", "void [app] [T]"},
		{"operator new[](unsigned long)", "unknown!operator new[](unsigned long)", "operator new[](unsigned long)"},
		{"memcpy", "unknown!memcpy", "memcpy"},
		{"", "unknown!", "?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Symbol{Module: &Module{name: "unknown", memory: true}, Method: c.text}
			s.splitJitted()
			if s.RawName() != c.raw || s.Name() != c.name {
				t.Errorf("%s\n got %s and %s\nwant %s and %s", c.text, s.RawName(), s.Name(), c.raw, c.name)
			}
		})
	}
}

// TestModuleNames: of managed modules and of mapped files.
func TestModuleNames(t *testing.T) {
	for _, c := range []struct{ path, managed, file string }{
		{"/usr/share/dotnet/System.Private.CoreLib.dll", "System.Private.CoreLib", "System.Private.CoreLib"},
		{`C:\Windows\assembly\mscorlib.ni.dll`, "mscorlib", "mscorlib.ni"},
		{`C:\app\App.EXE`, "App", "App"},
		{"Microsoft.GeneratedCode", "Microsoft.GeneratedCode", "Microsoft.GeneratedCode"},
		{"/app/MyApp.Core", "MyApp.Core", "MyApp.Core"},
		{"/app/My.netmodule", "My", "My"},
		{"/usr/lib/libc.so.6", "libc.so.6", "libc.so.6"},
		{"[vdso]", "[vdso]", "[vdso]"},
		{"x/", "ManagedModule", ""},
		{".dll", ".dll", ".dll"},
		{"", "ManagedModule", ""},
	} {
		t.Run(c.path, func(t *testing.T) {
			if got := moduleName(c.path); got != c.managed {
				t.Errorf("module %q: %q, want %q", c.path, got, c.managed)
			}
			if got := fileModuleName(c.path); got != c.file {
				t.Errorf("file %q: %q, want %q", c.path, got, c.file)
			}
		})
	}
}
