package samples

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/profile"
)

// RequestFlags holds the values of the flags that choose the work for requests.
type RequestFlags struct {
	route                []string
	trace, span, request string

	inFile string              // in which FindSpans found the spans of a name
	in     *profile.SpanFilter // nil: not found
	apart  string              // says how many of them are left out
}

// requestFlags are the names of these flags.
var requestFlags = []string{"route", "trace", "span", "request"}

// AddFlags adds these flags.
func (o *RequestFlags) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.route, "route", nil, "only work for requests whose method and route one of these `REGEXPS` matches")
	f.StringVar(&o.trace, "trace", "", "only work for requests of the W3C trace with this `ID`")
	f.StringVar(&o.span, "span", "", "only work for the request or in the span with this `ID`, or in the spans with this name or key of report spans")
	f.StringVar(&o.request, "request", "", "only work for the request with this `ID` of Kestrel, or for the slowest one")
	for _, name := range requestFlags {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
}

// Given reports whether one of the flags is given.
func (o *RequestFlags) Given() bool { return len(o.route) > 0 || o.trace+o.span+o.request != "" }

// Text says what the flags choose, "" if none is given.
func (o *RequestFlags) Text() string {
	var given []string
	for _, f := range []struct{ name, value string }{{"route", strings.Join(o.route, ",")}, {"trace", o.trace}, {"span", o.span}, {"request", o.request}} {
		if f.value != "" {
			given = append(given, "--"+f.name+" "+f.value)
		}
	}
	if given == nil {
		return ""
	}
	return "the samples are only the work for the requests that " + strings.Join(given, " ") + " chooses, as far as the trace tells it"
}

// Filter returns the filter that the flags describe, nil for none.
func (o *RequestFlags) Filter() (*profile.RequestFilter, error) {
	if !o.Given() {
		return nil, nil
	}
	f := &profile.RequestFilter{TraceID: strings.ToLower(o.trace), ID: o.request, In: o.in}
	switch {
	case isSpanID(o.span):
		f.SpanID = strings.ToLower(o.span)
	case o.span != "" && o.in == nil: // of what is no file, only the spans in requests are known
		f.In = &profile.SpanFilter{Name: o.span}
	}
	if f.Slowest = o.request == "slowest"; f.Slowest {
		f.ID = ""
	}
	var err error
	f.Route, err = Alternatives("route", o.route)
	return f, err
}
