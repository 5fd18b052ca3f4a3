package perf

// Kind is what a Record says.
type Kind uint8

// The kinds of records.
const (
	// Sample: a thread used a processor for Record.Period.
	Sample Kind = iota + 1
	// Mapped: a process mapped Record.Mapping as code.
	Mapped
	// Named: a thread got Record.Name, or with Record.Exec its process another program.
	Named
	// Started: a thread began.
	Started
	// Ended: a thread ended.
	Ended
	// SwitchedOut: a thread left its processor; see Record.Preempted.
	SwitchedOut
	// SwitchedIn: a thread got a processor.
	SwitchedIn
	// Lost: Record.Count records had no room in the ring.
	Lost
	// Throttled: the system reduced the rate of samples.
	Throttled
	// Switching: a thread is about to leave its processor at Record.Kernel and Record.User.
	Switching
	// Waking: a thread ended the wait of Record.Wakee, another thread of its process.
	Waking
)

// Record is one record of the kernel. Its slices are valid until the next one.
type Record struct {
	Kind Kind   // what it says
	Time uint64 // nanoseconds of CLOCK_MONOTONIC: the kernel's or, from a Spool, the process's
	PID  uint32 // process of TID
	TID  uint32 // thread that the record is about
	CPU  uint32 // processor on which it was written
	// Period is the processor time, in nanoseconds, that a Sample stands for.
	Period uint64
	// Kernel and User are the call chain of a Sample, leaf first. All but the
	// first are return addresses; the first of User is one too if Kernel is not empty.
	Kernel, User []uint64
	// Registers are those of user code, if HasRegisters is set: see Options.StackBytes.
	Registers    Registers
	HasRegisters bool // see Registers
	// Stack are the bytes of the thread's stack from Registers.SP upwards.
	Stack []byte
	// Mapping is that of a record Mapped.
	Mapping Mapping
	// Name is that of a record Named.
	Name string
	// Exec reports that a record Named is about another program.
	Exec bool
	// Preempted reports that the thread of a record SwitchedOut would have run on.
	Preempted bool
	// Count is the number of records Lost.
	Count uint64
	// Parent is the thread that made the thread of a record Started.
	Parent uint32
	// Wakee is the thread that a record Waking is about.
	Wakee uint32
}

// Registers are registers of x86-64 in user code.
type Registers struct {
	IP uint64 // instruction pointer
	SP uint64 // stack pointer
	BP uint64 // frame pointer, where the code keeps one
	// The registers that a function leaves as they were.
	BX  uint64
	R12 uint64 // see BX
	R13 uint64 // see BX
	R14 uint64 // see BX
	R15 uint64 // see BX
}

// Mapping is code that is mapped into a process.
type Mapping struct {
	Start, End uint64 // addresses; End is the first one after it
	// Offset is that of Start in the file.
	Offset uint64
	// Path is the path of the file, as the process has it; "" for memory without
	// a file. "[vdso]" and the like are no files.
	Path string
	// BuildID is the build id of an ELF file, in lower-case hex, "" if unknown.
	BuildID string
}

// Contains reports whether an address is in the mapping.
func (m *Mapping) Contains(address uint64) bool { return address >= m.Start && address < m.End }

// IsFile reports whether the mapping is one of a file that can be opened by its path.
func (m *Mapping) IsFile() bool {
	return len(m.Path) > 0 && m.Path[0] == '/' && !m.IsMemory()
}
