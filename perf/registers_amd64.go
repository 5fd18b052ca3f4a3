package perf

// HasRegisters reports whether registers and stacks can be recorded on this processor.
const HasRegisters = true

// registerMask selects BX, BP, SP, IP and R12 to R15, in this order.
const registerMask = 1<<1 | 1<<6 | 1<<7 | 1<<8 | 0xF<<20
