package eventpipe

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// ProcessInfo describes a runtime. Fields that the runtime is too old to know
// are empty.
type ProcessInfo struct {
	PID           int      // in the process's own namespace
	Cookie        [16]byte // random number of this run of the process
	CommandLine   string   // the program and its arguments, separated by spaces
	OS            string   // "Linux", "macOS", "Windows"
	Architecture  string   // "x64", "arm64", "x86", "arm32"
	EntryAssembly string   // name without extension; since .NET 6
	Version       string   // of the runtime, as SemVer: "10.0.9"; since .NET 6
	PortableRID   string   // "linux-x64"; since .NET 8
}

// ProcessInfo returns a description of the runtime. On .NET Core 3 the error is
// an [*UnsupportedError]. A runtime that is suspended at its start does not
// know its arguments yet.
func (c *Client) ProcessInfo(ctx context.Context) (*ProcessInfo, error) {
	for _, cmd := range []Command{GetProcessInfo3, GetProcessInfo2, GetProcessInfo} {
		reply, err := c.ask(ctx, cmd, nil, c.Timeouts.answer())
		if isUnknown(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return parseProcessInfo(cmd, reply)
	}
	return nil, &UnsupportedError{Feature: "reporting process information", Command: GetProcessInfo}
}

func parseProcessInfo(cmd Command, reply []byte) (*ProcessInfo, error) {
	f := fields{rest: reply}
	version := uint32(0)
	if cmd == GetProcessInfo3 {
		version = f.uint32()
	}
	info := &ProcessInfo{PID: int(f.uint64())}
	copy(info.Cookie[:], f.take(16))
	info.CommandLine, info.OS, info.Architecture = f.string(), f.string(), f.string()
	if cmd != GetProcessInfo {
		info.EntryAssembly, info.Version = f.string(), f.string()
	}
	if version >= 1 {
		info.PortableRID = f.string()
	}
	return info, f.failed(cmd)
}

// Resume continues a runtime that is suspended at its start. It has no effect
// on a running one.
func (c *Client) Resume(ctx context.Context) error {
	return c.order(ctx, ResumeRuntime, nil, "resuming its start")
}

// maxEnvironment bounds the bytes that Environment keeps in memory. The systems
// start a process with less than 8 MiB.
const maxEnvironment = 64 << 20

// Environment returns the variables of the process as "NAME=value". It is the
// current environment, including changes by [Client.SetEnvironment]. One of more
// than 64 MiB is an error.
func (c *Client) Environment(ctx context.Context) ([]string, error) {
	conn, reply, err := c.send(ctx, GetProcessEnvironment, nil, c.Timeouts.answer())
	if err != nil {
		return nil, unsupported(err, GetProcessEnvironment, "reporting its environment")
	}
	defer conn.Close()
	defer c.bound(ctx, conn, c.Timeouts.answer())()
	f := fields{rest: reply}
	size := f.uint32()
	if f.err == nil && size > maxEnvironment {
		f.err = malformed("the environment has %d bytes, more than the limit of %d", size, maxEnvironment)
	}
	if err := f.failed(GetProcessEnvironment); err != nil {
		return nil, err
	}
	block, err := io.ReadAll(io.LimitReader(conn, int64(size)))
	if err != nil {
		return nil, c.explain(ctx, err)
	}
	return parseEnvironment(block, size)
}

func parseEnvironment(block []byte, size uint32) ([]string, error) {
	f := fields{rest: block}
	var list []string
	for n := f.uint32(); n > 0 && f.err == nil; n-- {
		list = append(list, f.string())
	}
	if f.err == nil && uint32(len(block)) != size {
		f.err = malformed("the environment has %d bytes instead of %d", len(block), size)
	}
	if err := f.failed(GetProcessEnvironment); err != nil {
		return nil, err
	}
	return list, nil
}

// SetEnvironment sets a variable in the process. Only code that reads the
// variable later sees it: the runtime reads most of its own variables before
// managed code runs. A name that is empty or has a = is an error, because a runtime
// reports success and sets another variable or none, and so is a NUL.
func (c *Client) SetEnvironment(ctx context.Context, name, value string) error {
	switch {
	case name == "" || strings.ContainsAny(name, "=\x00"):
		return fmt.Errorf("eventpipe: %q is not the name of a variable", name)
	case strings.ContainsRune(value, 0):
		return fmt.Errorf("eventpipe: variable %s: a NUL ends the value", name)
	}
	return c.order(ctx, SetEnvironmentVariable, appendString(appendString(nil, name), value), "setting its environment")
}

// PerfMap selects the files that a runtime writes for perf. They are in the
// folder /tmp of its file system, unless its variable DOTNET_PerfMapJitDumpPath
// names another folder.
type PerfMap uint32

// The kinds of map.
const (
	PerfMapAll     PerfMap = 1 // both files
	PerfMapJitDump PerfMap = 2 // jit-PID.dump, with the machine code
	PerfMapNames   PerfMap = 3 // perf-PID.map, with names and addresses
)

// EnablePerfMap makes the runtime write a map of its existing and future
// methods.
func (c *Client) EnablePerfMap(ctx context.Context, kind PerfMap) error {
	if kind < PerfMapAll || kind > PerfMapNames {
		return fmt.Errorf("eventpipe: perf map %d is not one of %d to %d", kind, PerfMapAll, PerfMapNames)
	}
	return c.order(ctx, EnablePerfMap, binary.LittleEndian.AppendUint32(nil, uint32(kind)), "enabling perf maps")
}

// DisablePerfMap makes the runtime stop writing the files of EnablePerfMap.
func (c *Client) DisablePerfMap(ctx context.Context) error {
	return c.order(ctx, DisablePerfMap, nil, "disabling perf maps")
}

// order sends a command whose answer is only a result.
func (c *Client) order(ctx context.Context, cmd Command, payload []byte, feature string) error {
	reply, err := c.ask(ctx, cmd, payload, c.Timeouts.answer())
	if err != nil {
		return unsupported(err, cmd, feature)
	}
	return result(cmd, reply)
}

// result is the number that some commands answer with: negative when they
// failed. Others answer with no value.
func result(cmd Command, reply []byte) error {
	if len(reply) < 4 {
		return nil
	}
	if hr := HResult(binary.LittleEndian.Uint32(reply)); hr>>31 != 0 {
		return &CommandError{Command: cmd, HResult: hr}
	}
	return nil
}

// unsupported returns an UnsupportedError for the feature if the runtime does not
// support the command.
func unsupported(err error, cmd Command, feature string) error {
	if isUnknown(err) {
		return &UnsupportedError{Feature: feature, Command: cmd}
	}
	return err
}
