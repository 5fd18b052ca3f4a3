package symbols

import (
	"fmt"
	"strings"
	"testing"
)

// TestName: namespace, name and signature as the runtime writes them, and the
// name in the source code.
func TestName(t *testing.T) {
	for _, c := range []struct{ namespace, method, signature, want string }{
		{"Program", "Main", "void  (class System.String[])", "Program.Main(string[])"},
		{"", "Main", "void  ()", "Main()"},
		{"Ns.Type", ".ctor", "instance void  (int32)", "Ns.Type..ctor(int)"},
		{"Ns.Type", ".cctor", "void  ()", "Ns.Type..cctor()"},
		{"Ns.Type", "M", "", "Ns.Type.M"},
		{"", "memcpy", "", "memcpy"},
		{"", "", "", "?"},
		{"", " ", "", "?"},
		{"Ns.Type", "", "void  ()", "Ns.Type.?()"},
		{"", "std::vector<int>::push_back(int)", "", "std::vector<int>::push_back(int)"},

		// Types.
		{"System.Collections.Generic.Dictionary`2[System.__Canon,System.Int32]", "Add", "instance void  (!0,!1)",
			"System.Collections.Generic.Dictionary<__Canon, int>.Add(__Canon, int)"},
		{"System.Collections.Generic.Dictionary`2+KeyCollection[System.String,System.Boolean]", "GetEnumerator", "instance value class Enumerator<!0,!1>  ()",
			"System.Collections.Generic.Dictionary<string, bool>.KeyCollection.GetEnumerator()"},
		{"A.Outer`1+Inner`1+Leaf[System.Int32,B.Box`1[System.Byte[]]]", "M", "void  ()", "A.Outer<int>.Inner<Box<byte[]>>.Leaf.M()"},
		{"A.Set`1", "Add", "instance bool  (!0)", "A.Set.Add(T0)"},
		{"A.Set`1[System.Nullable`1[System.Int64]]", "Add", "instance bool  (!0)", "A.Set<long?>.Add(long?)"},
		{"A.Set`1[System.Int32[,]]", "M", "void  ()", "A.Set<int[,]>.M()"},
		{"System.ValueTuple`2[System.__Canon,System.Span`1+Enumerator[System.Char]]", "M", "void  ()", "System.ValueTuple<__Canon, Span<char>.Enumerator>.M()"},

		// Parameters.
		{"T", "M", "void  (bool,wchar,int8,unsigned int8,int16,unsigned int16,int32,unsigned int32)", "T.M(bool, char, sbyte, byte, short, ushort, int, uint)"},
		{"T", "M", "void  (int64,unsigned int64,float32,float64,int,unsigned int,void*)", "T.M(long, ulong, float, double, nint, nuint, void*)"},
		{"T", "M", "void  (!!0&,class A.B`1<!!1>[],int32[0...,0...],value class System.Nullable`1<bool>)", "T.M(ref M0, B<M1>[], int[,], bool?)"},
		{"T", "M", "void  (class System.Func`2<class System.Collections.Generic.List`1<class A.X>,class A.Y+Z>,int32)", "T.M(Func<List<X>, Y.Z>, int)"},
		{"T", "M", "void  (required_modifier System.Runtime.InteropServices.InAttribute value class A.Batch`1<class A.X>&)", "T.M(in Batch<X>)"},
		{"T", "M", "void  (fnptr void(unsigned int8*,int32)&,void*)", "T.M(ref delegate*<byte*, int, void>, void*)"},
		{"T", "M", "void  (value class <>c__DisplayClass1_0`1<!!0>&,class <>f__AnonymousType0`2<int32,class A.X>)", "T.M(ref <>c__DisplayClass1_0<M0>, <>f__AnonymousType0<int, X>)"},
		{"T", "M", "void  (class Tables<!0,!1>)", "T.M(Tables<T0, T1>)"},
		{"dynamicClass", "lambda_method1", "class System.Object  (pMT: 0x7fd0a93da720,class System.Object)", "dynamicClass.lambda_method1(?, object)"},

		{"dynamicClass", "InvokeStub_A", "class System.Object  (class System.Object,pMT: 0x55c0dd8d3098<class System.Object>)", "dynamicClass.InvokeStub_A(object, ?<object>)"},
		{"dynamicClass", "Regex1_Scan", "void  (pMT: 0x7f501b3e22b0,pMT: 0x7f5019e8e878<wchar>[]&,pMT: 000000011EBAB5A0)", "dynamicClass.Regex1_Scan(?, ref ?<char>[], ?)"},

		// Names that the compiler generates.
		{"Program+<>c", "<Run>b__0_89", "instance void  ()", "Program.Run.lambda#89()"},
		{"Program+<>c__DisplayClass3_0", "<Run>b__2", "instance void  (class System.String)", "Program.Run.lambda#2(string)"},
		{"A.B`1+<>c__DisplayClass3_0`1[System.__Canon,System.Int32]", "<Run>b__2", "instance void  (!0,!1)", "A.B<__Canon>.Run.lambda#2(__Canon, int)"},
		{"Program", "<Main>g__Local|0_1", "void  (int32)", "Program.Main.Local(int)"},
		{"Program+<>c__DisplayClass0_0", "<<Main>$>b__4", "instance void  ()", "Program.Main.lambda#4()"},
		{"Program", "<Main>$", "void  (class System.String[])", "Program.Main(string[])"},
		{"Program", "<Main>", "void  (class System.String[])", "Program.Main(string[])"},
		{"A.B+<RunAsync>d__5", "MoveNext", "instance void  ()", "A.B.RunAsync [async]"},
		{"A.B+<RunAsync>d__5`1[System.__Canon]", "MoveNext", "instance void  ()", "A.B.RunAsync [async]"},
		{"A.B`1+<RunAsync>d__5[System.__Canon]", "MoveNext", "instance void  ()", "A.B<__Canon>.RunAsync [async]"},
		{"A.B+<Items>d__5", "MoveNext", "instance bool  ()", "A.B.Items [iterator]"},
		{"A.B+<Items>d__5", "System.IDisposable.Dispose", "instance void  ()", "A.B.Items.System.IDisposable.Dispose()"},
		{"A.B+<>c__DisplayClass3_0+<<Send>b__0>d", "MoveNext", "instance void  ()", "A.B.Send.lambda#0 [async]"},
		{"A.B+<<Send>g__Core|54_0>d`2[System.__Canon,System.__Canon]", "MoveNext", "instance void  ()", "A.B.Send.Core [async]"},
		{"A.Builder`1+Box`1[A.Nothing,A.B+<RunAsync>d__5]", "MoveNext", "instance void  (class System.Threading.Thread)", "A.Builder<Nothing>.Box<B.RunAsync>.MoveNext(Thread)"},
		{"A.<RegexGenerator_g>F4B2C0FFEE__Utilities", "Find", "void  ()", "A.Utilities.Find()"},
		{"A.B", "<>n__0", "instance void  (int32)", "A.B.<>n__0(int)"},

		// Names that no compiler generates.
		{"A`9[", "M", "(", "A[.M()"},
		{"<", "<M", "(!", "<.<M(T)"},
		{"A[B", "<M>b__", "(!999999999999999999999,class ,,)", "A[B.M.lambda#(T999999999999999999999, , )"},
		{"[]]", "M", "([[[)", "[]].M([])"},
	} {
		t.Run(c.namespace, func(t *testing.T) {
			s := Symbol{Namespace: c.namespace, Method: c.method, Signature: c.signature}
			if got := s.Name(); got != c.want {
				t.Errorf("%s.%s%s\n got %s\nwant %s", c.namespace, c.method, c.signature, got, c.want)
			}
		})
	}
}

// TestTypeName: names of types as events have them.
func TestTypeName(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"System.Byte[]", "System.Byte[]"},
		{"System.Int32[,]", "System.Int32[,]"},
		{"Item[]", "Item[]"},
		{"", ""},
		{"System.Collections.Generic.Dictionary`2[System.String,A.B+C][]", "System.Collections.Generic.Dictionary<string, B.C>[]"},
		{"System.Collections.Generic.List`1[System.Int32[]][][]", "System.Collections.Generic.List<int[]>[][]"},
		{"Entry[System.Int32,System.Diagnostics.Tracing.EventSource+EventMetadata][]", "Entry<int, EventSource.EventMetadata>[]"},
		{"A.Outer`1+Inner`1[System.Int32,System.String]", "A.Outer<int>.Inner<string>"},
		{"System.Nullable`1[System.Int32]", "System.Nullable<int>"},
		{"A.B+<>c__DisplayClass3_0", "A.B.<>c__DisplayClass3_0"},
		{"A.B+<>c", "A.B.<>c"},
		{"A.B+<RunAsync>d__5", "A.B.RunAsync [state machine]"},
		{"<SerializeAsync>d__15[Item[]]", "SerializeAsync [state machine]"},
		{"<SerializeAsync>d__15[Item[]][]", "SerializeAsync [state machine][]"},
		{"AsyncStateMachineBox`1[A.Nothing,A.B`1+<RunAsync>d__15[Item[]]]", "AsyncStateMachineBox<Nothing, B<Item[]>.RunAsync>"},
	} {
		t.Run(c.text, func(t *testing.T) {
			if got := TypeName(c.text); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestSymbolTypeName: the type that declares a method is one from the source
// code.
func TestSymbolTypeName(t *testing.T) {
	for _, c := range []struct{ namespace, want string }{
		{"System.Collections.Generic.List`1[System.__Canon]", "System.Collections.Generic.List<__Canon>"},
		{"A.B+<>c__DisplayClass3_0", "A.B"},
		{"A.B+<>c__DisplayClass3_0+<<Send>b__0>d", "A.B"},
		{"A.B`1+<RunAsync>d__5[System.Int32]", "A.B<int>"},
		{"A.Outer+Inner", "A.Outer.Inner"},
		{"<>c", "<>c"},
		{"", ""},
	} {
		t.Run(c.namespace, func(t *testing.T) {
			s := Symbol{Namespace: c.namespace}
			if got := s.TypeName(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestNameDeep: no nesting makes a name take more than its length deserves.
func TestNameDeep(t *testing.T) {
	const deep = 1 << 16
	for _, text := range []string{"A`1[", "class A`1<", "fnptr ", "<", "[", "("} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			s := Symbol{Namespace: strings.Repeat(text, deep), Method: strings.Repeat(text, deep), Signature: "(" + strings.Repeat(text, deep)}
			if n := len(s.Name()); n > 4*len(text)*deep+100 {
				t.Errorf("%d bytes of name", n)
			}
		})
	}
}
