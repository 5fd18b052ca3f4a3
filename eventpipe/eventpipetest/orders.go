//go:build unix

package eventpipetest

import (
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// Commands of profilers, which package eventpipe does not send.
const (
	attachProfiler  eventpipe.Command = 0x0301
	startupProfiler eventpipe.Command = 0x0302
)

// dump answers as if it had written a dump. A path without even a NUL crashes every release.
func (r *Runtime) dump(conn net.Conn, cmd eventpipe.Command, payload []byte) outcome {
	c := &cursor{b: payload, release: r.cfg.Release}
	_, null := c.text()
	if null {
		return dies
	}
	kind := c.number()
	c.number() // flags
	switch {
	case c.bad:
		return r.refuse(conn, cmd, eventpipe.BadEncoding, "")
	case kind >= uint32(eventpipe.DumpNormal) && kind <= uint32(eventpipe.DumpFull):
		return r.result(conn, cmd, nil)
	case cmd == eventpipe.GenerateCoreDump3: // with what createdump has printed: nothing
		reply(conn, refused, appendText([]byte{0x05, 0x40, 0x00, 0x80}, ""))
		return closes
	}
	return r.refuse(conn, cmd, eventpipe.Fail, "")
}

// attachProfiler refuses: no file is a profiler.
func (r *Runtime) attachProfiler(conn net.Conn, cmd eventpipe.Command, payload []byte) outcome {
	c := &cursor{b: payload, release: r.cfg.Release}
	c.uint(4) // how long the profiler may take
	c.uint(8)
	c.uint(8)
	path, null := c.text()
	size := c.uint(4)
	switch {
	case c.bad, size > uint64(len(c.b)) && r.cfg.Release >= 11:
		return r.refuse(conn, cmd, eventpipe.BadEncoding, "")
	case null:
		return r.refuse(conn, cmd, eventpipe.Fail, "")
	case !exists(path):
		return r.refuse(conn, cmd, eventpipe.ProfilerNotFound, "")
	}
	return r.refuse(conn, cmd, eventpipe.NotAProfiler, "")
}

// startupProfiler answers that it worked and does nothing, as a runtime that runs already.
func (r *Runtime) startupProfiler(conn net.Conn, cmd eventpipe.Command, payload []byte) outcome {
	c := &cursor{b: payload, release: r.cfg.Release}
	if len(payload) < 16 && !checksLength(r.cfg.Release) {
		return r.result(conn, cmd, nil)
	}
	c.uint(8)
	c.uint(8)
	if c.text(); c.bad {
		return r.refuse(conn, cmd, eventpipe.BadEncoding, "")
	}
	return r.result(conn, cmd, nil)
}

// setEnvironment sets a variable. A value without even a NUL removes it.
func (r *Runtime) setEnvironment(conn net.Conn, cmd eventpipe.Command, payload []byte) outcome {
	c := &cursor{b: payload, release: r.cfg.Release}
	name, unnamed := c.text()
	value, remove := "", true
	if len(c.b) >= 4 || checksLength(r.cfg.Release) {
		value, remove = c.text()
	}
	if c.bad {
		return r.refuse(conn, cmd, eventpipe.BadEncoding, "")
	}
	if unnamed {
		return r.refuse(conn, cmd, eventpipe.InvalidArgument, "")
	}
	at := slices.IndexFunc(r.cfg.Environment, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	switch {
	case remove && at < 0:
		return r.refuse(conn, cmd, eventpipe.EnvironmentNotFound, "")
	case remove:
		r.cfg.Environment = slices.Delete(r.cfg.Environment, at, at+1)
	case at >= 0:
		r.cfg.Environment[at] = name + "=" + value
	case name != "":
		r.cfg.Environment = append(r.cfg.Environment, name+"="+value)
	}
	return r.result(conn, cmd, nil)
}

// enablePerfMap accepts the kinds of files, and a number that is none and changes nothing.
func (r *Runtime) enablePerfMap(conn net.Conn, cmd eventpipe.Command, payload []byte) outcome {
	c := &cursor{b: payload, release: r.cfg.Release}
	kind := c.number()
	switch {
	case c.bad:
		return r.refuse(conn, cmd, eventpipe.BadEncoding, "")
	case kind >= uint32(eventpipe.PerfMapAll) && kind <= uint32(eventpipe.PerfMapNames), kind == math.MaxUint32:
		return r.result(conn, cmd, nil)
	}
	return r.refuse(conn, cmd, eventpipe.InvalidArgument, "")
}

// applyStartupHook accepts an absolute path of a file. One that cannot be loaded crashes .NET 9 and
// 10.
func (r *Runtime) applyStartupHook(conn net.Conn, cmd eventpipe.Command, payload []byte) outcome {
	c := &cursor{b: payload, release: r.cfg.Release}
	path, null := c.text()
	switch {
	case c.bad:
		return r.refuse(conn, cmd, eventpipe.BadEncoding, "")
	case null:
		return r.refuse(conn, cmd, eventpipe.InvalidArgument, "")
	case path == "", filepath.IsAbs(path) && exists(path):
		return r.result(conn, cmd, nil)
	case r.cfg.Release == 9 || r.cfg.Release == 10:
		return dies
	}
	return r.refuse(conn, cmd, eventpipe.InvalidArgument, "")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
