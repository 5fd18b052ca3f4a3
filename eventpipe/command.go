package eventpipe

import "fmt"

// Command is a command of the diagnostics protocol: the command set in the high
// byte, the id in the low byte.
type Command uint16

// The commands of the dump, EventPipe and process sets.
const (
	GenerateCoreDump       Command = 0x0101
	GenerateCoreDump2      Command = 0x0102
	GenerateCoreDump3      Command = 0x0103
	StopTracing            Command = 0x0201
	CollectTracing         Command = 0x0202
	CollectTracing2        Command = 0x0203
	CollectTracing3        Command = 0x0204
	CollectTracing4        Command = 0x0205
	CollectTracing5        Command = 0x0206
	CollectTracing6        Command = 0x0207
	GetProcessInfo         Command = 0x0400
	ResumeRuntime          Command = 0x0401
	GetProcessEnvironment  Command = 0x0402
	SetEnvironmentVariable Command = 0x0403
	GetProcessInfo2        Command = 0x0404
	EnablePerfMap          Command = 0x0405
	DisablePerfMap         Command = 0x0406
	ApplyStartupHook       Command = 0x0407
	GetProcessInfo3        Command = 0x0408
)

// Types of the server's answers.
const (
	replyOK    Command = 0xFF00
	replyError Command = 0xFFFF
)

// commands has the protocol's names and the first runtime release that supports
// each.
var commands = map[Command]struct{ name, since string }{
	GenerateCoreDump:       {"GenerateCoreDump", ".NET Core 3.0"},
	GenerateCoreDump2:      {"GenerateCoreDump2", ".NET 6"},
	GenerateCoreDump3:      {"GenerateCoreDump3", ".NET 7"},
	StopTracing:            {"StopTracing", ".NET Core 3.0"},
	CollectTracing:         {"CollectTracing", ".NET Core 3.0"},
	CollectTracing2:        {"CollectTracing2", ".NET Core 3.1"},
	CollectTracing3:        {"CollectTracing3", ".NET 9"},
	CollectTracing4:        {"CollectTracing4", ".NET 9"},
	CollectTracing5:        {"CollectTracing5", ".NET 10"},
	CollectTracing6:        {"CollectTracing6", ".NET 11"},
	GetProcessInfo:         {"ProcessInfo", ".NET 5"},
	ResumeRuntime:          {"ResumeRuntime", ".NET 5"},
	GetProcessEnvironment:  {"ProcessEnvironment", ".NET 6"},
	SetEnvironmentVariable: {"SetEnvironmentVariable", ".NET 6"},
	GetProcessInfo2:        {"ProcessInfo2", ".NET 6"},
	EnablePerfMap:          {"EnablePerfMap", ".NET 8"},
	DisablePerfMap:         {"DisablePerfMap", ".NET 8"},
	ApplyStartupHook:       {"ApplyStartupHook", ".NET 8"},
	GetProcessInfo3:        {"ProcessInfo3", ".NET 8"},
}

// String returns the command's name in the protocol.
func (c Command) String() string {
	if known, ok := commands[c]; ok {
		return known.name
	}
	return fmt.Sprintf("command 0x%04x", uint16(c))
}

// Since returns the first version of .NET that knows the command, such as ".NET
// 6", or "" for an unknown command.
func (c Command) Since() string { return commands[c].since }
