package collect

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
)

// Up to .NET 10 the runtime makes the collection before it answers: the buffer has to hold the
// complete dump, and what exceeds it is lost. Its size is a limit, not a reservation, but the
// dump is in the memory of the process until it was read.
const (
	dumpBytes      = 62   // of the stream, for an object with one and a half references
	objectBytes    = 40   // of memory: a small object and what refers to it
	unknownBuffer  = 1024 // MB, where the memory is not known: that of dotnet-gcdump
	smallestBuffer = 16   // MB
)

// fitDump sets the size of the buffer for a heap dump: half of the memory that the process may
// still take. It returns an error if that may not hold the dump.
func (o *options) fitDump(a *attach.Process) error {
	if o.sized {
		return nil
	}
	left, known := processMemory("/", a.PID)
	if a.PID == 0 || !known {
		o.session.BufferMB = unknownBuffer
		return nil
	}
	o.session.BufferMB = int(min(max(left.bytes/2>>20, smallestBuffer), math.MaxUint32))
	dump := left.used / objectBytes * dumpBytes
	if dump <= left.bytes/2 || o.force {
		return nil
	}
	return fmt.Errorf("%s: the dump may take %s in its memory, and only %s are left %s: the process could be killed, and the dump incomplete; --force makes it with a buffer of half of that, --buffersize with any other",
		a.Title, display.Bytes(dump), display.Bytes(left.bytes), left.where)
}

// memoryLeft is the memory that a process uses and may still take.
type memoryLeft struct {
	used  int64 // memory of its own
	bytes int64
	where string // what bounds it: "on the machine"
}

// processMemory reads the memory of a process below a root, which has /proc and /sys. known is
// false where the system does not report it.
func processMemory(root string, pid int) (left memoryLeft, known bool) {
	proc := filepath.Join(root, "proc")
	available, known := fieldOf(filepath.Join(proc, "meminfo"), "MemAvailable:")
	if !known {
		return left, false
	}
	dir := filepath.Join(proc, strconv.Itoa(pid))
	if left.used, known = fieldOf(filepath.Join(dir, "status"), "RssAnon:"); !known {
		return left, false
	}
	left.used, left.bytes, left.where = left.used*1024, available*1024, "on the machine"
	text, _ := os.ReadFile(filepath.Join(dir, "cgroup"))
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for _, g := range memoryGroups {
			if g.controller == parts[1] {
				g.bound(filepath.Join(root, g.mount), parts[2], &left)
			}
		}
	}
	return left, true
}

// memoryGroup is where a version of cgroup has its files.
type memoryGroup struct {
	controller, mount   string
	limit, usage, cache string
}

var memoryGroups = []memoryGroup{
	{"", "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
	{"memory", "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
}

// bound lowers what is left to that of a group and of those above it. Files that the kernel can
// drop from its cache count as free.
func (g *memoryGroup) bound(mount, group string, left *memoryLeft) {
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		dir := filepath.Join(mount, group)
		limit, limited := numberIn(filepath.Join(dir, g.limit))
		usage, used := numberIn(filepath.Join(dir, g.usage))
		if limited && used {
			cache, _ := fieldOf(filepath.Join(dir, "memory.stat"), g.cache)
			if free := max(limit-usage+cache, 0); free < left.bytes {
				left.bytes, left.where = free, "in its memory cgroup"
			}
		}
		if group == "/" {
			return
		}
	}
}

// numberIn reads a file with one number; "max" is none.
func numberIn(name string) (int64, bool) {
	text, err := os.ReadFile(name)
	n, bad := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, errors.Join(err, bad) == nil
}

// fieldOf reads the number after a name at the beginning of a line.
func fieldOf(file, name string) (int64, bool) {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name {
			n, err := strconv.ParseInt(words[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
