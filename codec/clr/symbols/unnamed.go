package symbols

import "strings"

// Name returns Symbol.Name. Without a symbol it returns what is known from the
// address:
//
//	[kernel]      code of the operating system's kernel
//	[libc.so.6]   code of a mapped file (v6)
//	[jitted]      memory for code that the runtime generates (v6)
//	?!0x7f..      nothing is known, as in raw names; see NameCalledBy
func (f Frame) Name() string {
	switch {
	case f.Symbol != nil:
		return f.Symbol.Name()
	case f.InKernel():
		return "[kernel]"
	case f.Module == nil || f.Module.name == "":
		return f.RawName()
	case f.Module.memory:
		return "[jitted]"
	case strings.HasPrefix(f.Module.name, "["): // [vdso]
		return f.Module.name
	}
	return "[" + f.Module.name + "]"
}

// kernelSpace is the first address of the upper half of a 64-bit address space,
// which belongs to the kernel. No 32-bit address reaches it.
const kernelSpace = 0xffff_8000_0000_0000

// InKernel reports whether the address belongs to the kernel of the operating
// system.
func (f Frame) InKernel() bool { return f.Address >= kernelSpace }

// Unnamed reports whether only the address of the frame is known: Name is the
// raw name.
func (f Frame) Unnamed() bool {
	return f.Symbol == nil && !f.InKernel() && (f.Module == nil || f.Module.name == "")
}

// Managed reports whether the frame is a managed method with a name in the
// trace.
func (f Frame) Managed() bool {
	return f.Symbol != nil && (f.Evidence != Native || f.Symbol.Signature != "")
}

// NameCalledBy returns Name for a frame in a stack. caller is the next frame
// towards the root, callee the next one towards the leaf; nil at the ends of
// the stack. For a frame without a name and module it returns what is known
// from these frames:
//
//	[stub called from A.B.M]   code that the runtime generated between two methods,
//	                           or between a method and native code
//	[native]                   called by native code (v6)
//
// It returns neither for several such frames in a row, and a stub only in a
// process with a rundown: without one the code may be a method.
func (f Frame) NameCalledBy(caller, callee *Frame) string {
	if !f.Unnamed() || caller == nil {
		return f.Name()
	}
	switch {
	case caller.Managed():
		if !f.rundown || callee != nil && callee.Unnamed() {
			return f.Name()
		}
		name, _, _ := strings.Cut(caller.Symbol.Name(), "(")
		return "[stub called from " + name + "]"
	case caller.Symbol != nil, caller.Module != nil && !caller.Module.memory:
		return "[native]"
	}
	return f.Name()
}
