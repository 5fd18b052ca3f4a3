package eventpipe

// Process is a process that has a diagnostics port, or a .NET process that
// should have one.
type Process struct {
	PID     int    // as we see it
	NSPID   int    // as the process itself sees it: in a container another number
	Address string // its port, as we reach it
	Root    string // where its file system begins for us: "/", or a folder of /proc
}

// Client returns a client of the process. Nothing is connected yet.
func (p *Process) Client() *Client {
	c := NewClient(p.Address)
	c.pid, c.root = p.PID, p.Root
	return c
}
