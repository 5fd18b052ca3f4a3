package eventpipe

// halts are the states of processes that execute nothing, as /proc has them, and
// what they mean.
var halts = map[string]string{
	"T": "a signal has stopped it, and SIGCONT continues it",
	"t": "a debugger has stopped it",
	"Z": "it has ended",
}

// halted returns why a process executes nothing, or "".
func halted(pid int) string {
	x, err := readProc(pid)
	if err != nil {
		return ""
	}
	return halts[x.state]
}
