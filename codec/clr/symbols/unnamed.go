package symbols

import "strings"

// Name is the symbol's name as Symbol.Name gives it. Without a symbol it is what
// the address alone says:
//
//	[kernel]      code of the operating system's kernel
//	[libc.so.6]   code of a mapped file (v6)
//	[jitted]      memory in which the runtime makes code (v6)
//	?!0x7f..      nothing, as in raw names; see NameCalledBy
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

// InKernel reports whether the address is one of the operating system's kernel.
func (f Frame) InKernel() bool { return f.Address >= kernelSpace }

// Unnamed reports whether nothing but the address is known of the frame: Name is
// the raw name.
func (f Frame) Unnamed() bool {
	return f.Symbol == nil && !f.InKernel() && (f.Module == nil || f.Module.name == "")
}

// Managed reports whether the frame is a method, of which the trace has the name.
func (f Frame) Managed() bool {
	return f.Symbol != nil && (f.Evidence != Native || f.Symbol.Signature != "")
}

// NameCalledBy is Name of a frame with the frames around it in a stack: caller is
// the next one towards the root, callee the next one towards the leaf; nil at the
// ends of the stack. What they say of a frame that has no name and is in no module:
//
//	[stub called from A.B.M]   code that the runtime made between two methods, or
//	                           between a method and native code
//	[native]                   called by native code (v6)
//
// Neither is said where several such frames are in a row, and a stub only of a
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
