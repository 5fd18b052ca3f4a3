package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// Profile is a named set of providers.
type Profile struct {
	// Name is the name on the command line.
	Name string
	// Description is one line for the user.
	Description string
	// Providers are the providers that the profile records.
	Providers []eventpipe.Provider
	// Rundown is the keyword of the rundown. 0 means the default.
	Rundown uint64
	// RundownOptional allows a session without rundown on a runtime that is too
	// old to choose its keyword.
	RundownOptional bool
}

// DefaultProfiles are the profiles of an empty Selection.
var DefaultProfiles = []string{"dotnet-common", "dotnet-sampled-thread-time"}

// CPU is the name of the profile whose samples are not events of the session: the recorder takes
// them.
const CPU = "cpu"

// common has the runtime's events that are few: GC, AssemblyLoader, Loader, JIT,
// Exception, Threading, JittedMethodILToNativeMap, Compilation.
const common = 0x100003801D

// flightKeywords are the keywords for errors and stalls: those of the profile
// common with Contention instead of the map from IL to native code.
const flightKeywords = 0x100001C01D

// requestKeywords are the keywords for what the time line of a request has: GC,
// Contention, Exception.
const requestKeywords = 0xC001

// Profiles are the profiles that ProfileNamed finds.
var Profiles = []Profile{
	{
		Name:        "dotnet-common",
		Description: "Garbage collections, loading, JIT, exceptions, threads: little overhead",
		Providers:   []eventpipe.Provider{{Name: Runtime, Keywords: common, Level: 4}},
	},
	{
		Name:        "dotnet-sampled-thread-time",
		Description: "Stacks of all managed threads, about a thousand times a second; each time suspends the process",
		Providers:   []eventpipe.Provider{{Name: SampleProfiler, Keywords: 0xF00000000000, Level: 4}},
	},
	{
		Name:        CPU,
		Description: "Processor time of managed, native and kernel code, sampled by Linux, with collections, loading and JIT: no thread is suspended",
		Providers:   []eventpipe.Provider{{Name: Runtime, Keywords: common, Level: 4}},
	},
	{
		Name:        "async",
		Description: "Stacks as in dotnet-sampled-thread-time, and which method awaits which: events of tasks, and since .NET 11 of the async profiler",
		Providers: []eventpipe.Provider{
			{Name: SampleProfiler, Keywords: 0xF00000000000, Level: 4},
			{Name: Tasks, Keywords: 0x7F, Level: 5},
			Async,
		},
	},
	{
		Name:        "gc-verbose",
		Description: "Garbage collections, handles, and samples of allocations",
		Providers:   []eventpipe.Provider{{Name: Runtime, Keywords: 0x8003, Level: 5}},
	},
	{
		Name:        "gc-collect",
		Description: "Garbage collections alone, for long recordings; names of methods are left out",
		Providers:   []eventpipe.Provider{{Name: Runtime, Keywords: keywordGC, Level: 4}, {Name: RuntimePrivate, Keywords: keywordGC, Level: 4}},
		Rundown:     keywordGC, RundownOptional: true,
	},
	{
		Name:        "gcdump",
		Description: "A heap dump: one blocking collection, which suspends the process; collect ends after it",
		Providers:   []eventpipe.Provider{{Name: Runtime, Keywords: 0x1980001, Level: 5}},
		Rundown:     keywordGC, RundownOptional: true,
	},
	{
		Name:        "database",
		Description: "Commands of ADO.NET and Entity Framework",
		Providers: []eventpipe.Provider{
			{Name: Tasks, Keywords: 0x80, Level: 4},
			{Name: Diagnostics, Keywords: 0x3, Level: 5, Arguments: specsOf(databaseSpecs)},
		},
	},
	{
		Name:        "requests",
		Description: "HTTP requests that the process serves, with their status, and sends; collections, exceptions and locks: for report requests",
		Providers: []eventpipe.Provider{
			{Name: Kestrel, Keywords: allKeywords, Level: 4},
			{Name: Hosting, Keywords: allKeywords, Level: 4},
			{Name: Diagnostics, Keywords: 0x3, Level: 5, Arguments: specsOf(requestSpecs)},
			{Name: HTTP, Keywords: allKeywords, Level: 4},
			{Name: NameResolution, Keywords: allKeywords, Level: 4},
			{Name: Sockets, Keywords: allKeywords, Level: 4},
			{Name: Security, Keywords: allKeywords, Level: 4},
			{Name: Logging, Keywords: 0x4, Level: 4, Arguments: routeMessages},
			{Name: Tasks, Keywords: 0x40080, Level: 4}, // activity ids, and SetActivityId: whose work a thread does
			{Name: Runtime, Keywords: requestKeywords, Level: 4},
		},
	},
	{
		Name:        "flight",
		Description: "For a ring that runs for weeks: collections, exceptions, locks, threads, loading and JIT with the names of methods",
		Providers:   []eventpipe.Provider{{Name: Runtime, Keywords: flightKeywords, Level: 5}},
	},
}

// Async records the async profiler of .NET 11: all its keywords but 0x100. That one gives a record
// for each method that goes on, which nothing needs: a resumption and the completions of methods
// (0x200, 0x20000) say which one runs.
var Async = eventpipe.Provider{Name: AsyncProfiler, Keywords: 0x3FEFF, Level: 4}

// databaseSpecs select the events of database libraries, one on each line, and
// the values of their payloads.
var databaseSpecs = strings.Join([]string{
	"SqlClientDiagnosticListener/System.Data.SqlClient.WriteCommandBefore@Activity1Start:-Command;Command.CommandText;ConnectionId;Operation;Command.Connection.ServerVersion;Command.CommandTimeout;Command.CommandType;Command.Connection.ConnectionString;Command.Connection.Database;Command.Connection.DataSource;Command.Connection.PacketSize",
	"SqlClientDiagnosticListener/System.Data.SqlClient.WriteCommandAfter@Activity1Stop:",
	"Microsoft.EntityFrameworkCore/Microsoft.EntityFrameworkCore.Database.Command.CommandExecuting@Activity2Start:-Command;Command.CommandText;ConnectionId;IsAsync;Command.Connection.ClientConnectionId;Command.Connection.ServerVersion;Command.CommandTimeout;Command.CommandType;Command.Connection.ConnectionString;Command.Connection.Database;Command.Connection.DataSource;Command.Connection.PacketSize",
	"Microsoft.EntityFrameworkCore/Microsoft.EntityFrameworkCore.Database.Command.CommandExecuted@Activity2Stop:",
}, "\n")

// requestSpecs select the events of the requests that ASP.NET Core serves, and the
// values of their payloads. Without them a DiagnosticSource writes neither the status
// nor the ids by which its events are joined to others. None of the values has a query or the address
// of a client. The first one makes activities in a program without log providers, which has none
// otherwise. DisplayName has the route since .NET 11, BeforeAction that of an action of MVC.
var requestSpecs = strings.Join([]string{
	"Microsoft.AspNetCore/Microsoft.AspNetCore.Hosting.HttpRequestIn:-",
	"Microsoft.AspNetCore/Microsoft.AspNetCore.Hosting.HttpRequestIn.Start@Activity1Start:-TraceIdentifier;Request.PathBase;Request.Path;Request.Method;Request.Protocol;ActivityId=*Activity.Id;ActivityTraceId=*Activity.TraceId;SpanId=*Activity.SpanId;ParentSpanId=*Activity.ParentSpanId",
	"Microsoft.AspNetCore/Microsoft.AspNetCore.Hosting.HttpRequestIn.Stop@Activity1Stop:-TraceIdentifier;Response.StatusCode;ActivityId=*Activity.Id;DisplayName=*Activity.DisplayName",
	"Microsoft.AspNetCore/Microsoft.AspNetCore.Mvc.BeforeAction:-ActionDescriptor.AttributeRouteInfo.Template;HttpContext.TraceIdentifier",
}, "\n")

// routeMessages select the log message with the route of a request, which .NET 10 and before write
// nowhere else.
const routeMessages = `FilterSpecs="Microsoft.AspNetCore.Routing.EndpointMiddleware:Information"`

// specsKey is the argument of a DiagnosticSource that selects events.
const specsKey = "FilterAndPayloadSpecs="

// specsOf returns the argument with some lines.
func specsOf(lines string) string { return specsKey + `"` + lines + `"` }

// joined returns arguments that have the effect of both. ok is false if there are none:
// only the lines that select events of a DiagnosticSource add up.
func joined(a, b string) (arguments string, ok bool) {
	switch {
	case a == "" || a == b:
		return b, true
	case b == "":
		return a, true
	}
	first, ok1 := linesOf(a)
	second, ok2 := linesOf(b)
	return specsOf(first + "\n" + second), ok1 && ok2
}

// linesOf returns the lines of arguments that specsOf made.
func linesOf(arguments string) (lines string, ok bool) {
	lines, ok = strings.CutPrefix(arguments, specsKey+`"`)
	lines, closed := strings.CutSuffix(lines, `"`)
	return lines, ok && closed && !strings.Contains(lines, `"`)
}

// replaced are the profiles of other versions and commands of dotnet-trace, and what to
// use instead of them.
var replaced = map[string]string{
	"cpu-sampling": "a profile of dotnet-trace before version 10, and of collect-linux: use " + strings.Join(DefaultProfiles, ",") + ", or perf",
	"thread-time":  "a profile of dotnet-trace collect-linux: use dotnet-sampled-thread-time, or perf",
}

// ProfileNamed returns the profile with the given name, ignoring case. The
// error for an unknown name lists the known ones, or has the replacement of a
// profile of dotnet-trace.
func ProfileNamed(name string) (*Profile, error) {
	i := slices.IndexFunc(Profiles, func(p Profile) bool { return strings.EqualFold(p.Name, name) })
	if i >= 0 {
		return &Profiles[i], nil
	}
	if text, ok := replaced[strings.ToLower(name)]; ok {
		return nil, fmt.Errorf("%q is %s", name, text)
	}
	names := make([]string, len(Profiles))
	for i := range Profiles {
		names[i] = Profiles[i].Name
	}
	return nil, fmt.Errorf("%q is not a profile: want %s", name, strings.Join(names, ", "))
}
