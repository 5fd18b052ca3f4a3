// Package unwind repairs the call chains of package perf. The kernel walks frame
// pointers, which loses the caller of code that has none: small functions, most
// libraries of Linux, and the second bodies of managed loops.
//
//	u := unwind.New(unwind.Options{Bodies: bodies, Files: files})
//	for record := range records { // all of a recording, twice
//		u.Learn(record)
//	}
//	...
//	chain := u.Chain(record)
//
// # Rules
//
// A frame is found by the registers and the copy of the stack that a sample has:
//
//   - Native code by the unwind tables of its file (.eh_frame).
//   - Managed code by its frame pointer. A body that was compiled while its method was in a
//     loop (on-stack replacement) runs in the frame of the body before: its caller's frame
//     pointer is a fixed number of words above, which all samples of the body show. A body
//     without a frame, in a leaf, has the return address at the stack pointer: all samples in it
//     show that too.
//   - Other native code by its frame pointer.
//
// Where the copy of the stack ends, the rest of the kernel's chain follows if it passed the
// same frame. Otherwise the chain is cut: nothing is guessed.
package unwind
