package eventpipe

// halts are the states of processes that execute nothing, as /proc has them, and
// what they mean.
var halts = map[string]string{
	"T": "a signal has stopped it, and SIGCONT continues it",
	"t": "a debugger has stopped it",
	"Z": "it has ended",
}

// Halted returns why the process with a PID in the caller's namespace executes nothing:
// "a signal has stopped it, and SIGCONT continues it". It returns "" if the process runs,
// or if the system does not report it.
func Halted(pid int) string {
	x, err := readProc(pid)
	if err != nil {
		return ""
	}
	return halts[x.state]
}
