package traces

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// Options select the spans and what they have.
type Options struct {
	// Sources are the names of ActivitySources; "*" is all, also those about the connections of HTTP clients.
	// nil means DefaultSources.
	Sources []string
	// Ratio is the share of the traces that are recorded, by the ids of the traces: spans of one trace are
	// recorded together, in each process. 0 means all. What the caller of a request has decided stands: a trace
	// that it samples is recorded. It requires .NET 9. Spans with errors have no
	// preference: whether a span will be one is not known when it begins.
	Ratio float64

	Queries    bool // query strings of addresses, and statements of databases
	Addresses  bool // of clients: of the other side of a request that the process serves
	Exceptions bool // messages and stacks of exceptions, and descriptions of a status
}

// samples reports whether a part of the traces is recorded.
func (o *Options) samples() bool { return o.Ratio > 0 && o.Ratio < 1 }

// DefaultSources returns the sources of ASP.NET Core, of HTTP and gRPC clients and of database clients that have one,
// and the activities without a source.
func DefaultSources() []string {
	return []string{"", "Microsoft.AspNetCore", "System.Net.Http", "Grpc.Net.Client", "Npgsql", "MySqlConnector", "Microsoft.Data.SqlClient"}
}

// The first versions of .NET that have something.
const (
	ratioSince  = 9
	eventsSince = 10 // events and links
	tagsSince   = 11 // status and route in the activity of a request
)

// Names of ASP.NET Core.
const (
	aspNet       = "Microsoft.AspNetCore"
	requestIn    = "Microsoft.AspNetCore.Hosting.HttpRequestIn"
	beforeAction = "Microsoft.AspNetCore.Mvc.BeforeAction"
)

// Providers returns what a session has to record. version is that of the runtime, as eventpipe.ProcessInfo has
// it; "" for one that is too old to say. The error is about options that the version cannot obey: it would ignore
// the whole source.
func Providers(o Options, version string) ([]eventpipe.Provider, error) {
	text, _, _ := strings.Cut(version, ".")
	major, _ := strconv.Atoi(text)
	sampler := ""
	switch {
	case o.Ratio < 0 || o.Ratio > 1:
		return nil, fmt.Errorf("traces: the ratio %v is not between 0 and 1", o.Ratio)
	case o.samples() && major < ratioSince:
		return nil, fmt.Errorf("traces: a ratio requires .NET %d, the process has %q", ratioSince, version)
	case o.samples():
		sampler = "/-ParentRatioSampler(" + strconv.FormatFloat(o.Ratio, 'f', -1, 64) + ")"
	}
	values := "TraceId;SpanId;ParentSpanId;ActivityTraceFlags;TraceStateString;Kind;OperationName;DisplayName;Status;StatusDescription;" +
		"StartTimeTicks=StartTimeUtc.Ticks;DurationTicks=Duration.Ticks;Tags=TagObjects.*Enumerate;SourceVersion=Source.Version"
	if major >= eventsSince {
		values += ";Events;Links"
	}
	sources := o.Sources
	if sources == nil {
		sources = DefaultSources()
	}
	var lines []string
	requests := false
	for _, source := range sources {
		if strings.ContainsAny(source, "\r\n\":/+") {
			return nil, fmt.Errorf("traces: %q is no name of a source", source)
		}
		lines = append(lines, "[AS]"+source+sampler+":-"+values)
		requests = requests || source == aspNet || source == "*"
	}
	if requests && major < tagsSince {
		lines = append(lines,
			aspNet+"/"+requestIn+".Start@Activity1Start:-Request.Path;Request.Method;Request.Scheme;Request.Protocol;SpanId=*Activity.SpanId",
			aspNet+"/"+requestIn+".Stop@Activity1Stop:-Response.StatusCode;SpanId=*Activity.SpanId",
			aspNet+"/"+beforeAction+":-ActionDescriptor.AttributeRouteInfo.Template;SpanId=*Activity.SpanId")
	}
	return []eventpipe.Provider{{
		Name: clr.DiagnosticsProvider, Keywords: 2, Level: 5, Arguments: `FilterAndPayloadSpecs="` + strings.Join(lines, "\n") + `"`,
	}}, nil
}
