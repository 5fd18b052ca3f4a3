package logs

import (
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// Options select what is recorded and what a Record has.
type Options struct {
	// Level is the lowest severity that is recorded. 0 means Information.
	Level Severity
	// Filters are exceptions from Level.
	Filters []Filter
	// AppFilters adds the filters of the program's own configuration, which can only record less.
	AppFilters bool

	Bodies     bool // messages, their templates and their arguments
	Exceptions bool // messages and stacks of exceptions
	Scopes     bool // arguments of scopes. The session tracks activities, which costs time in the process
}

// Filter selects the lowest severity of the loggers whose category begins with Category or,
// with a "*" in it, matches it.
type Filter struct {
	Category string   // "Shop", "Microsoft.*"
	Level    Severity // 0: nothing is recorded
}

// Keywords of the provider.
const (
	formattedMessage = 4
	jsonMessage      = 8
)

// splitSince is the first version whose MessageJson has the message.
const splitSince = 5

// Providers returns what a session has to record. version is that of the runtime, as
// eventpipe.ProcessInfo has it; "" for one that is too old to say.
func Providers(o Options, version string) []eventpipe.Provider {
	logging := eventpipe.Provider{Name: clr.LoggingProvider, Keywords: jsonMessage, Level: 5, Arguments: `FilterSpecs="` + o.filterSpecs() + `"`}
	text, _, _ := strings.Cut(version, ".")
	if major, _ := strconv.Atoi(text); o.Bodies && major < splitSince {
		logging.Keywords |= formattedMessage
	}
	list := []eventpipe.Provider{logging}
	if o.Scopes {
		list = append(list, eventpipe.Provider{Name: clr.TasksProvider, Keywords: 0x80, Level: 4})
	}
	return list
}

// filterSpecs returns the value of the provider's argument of this name.
func (o *Options) filterSpecs() string {
	var parts []string
	if o.AppFilters {
		parts = append(parts, "UseAppFilters")
	}
	level := o.Level
	if level == 0 {
		level = Information
	}
	for _, f := range append([]Filter{{"*", level}}, o.Filters...) {
		name := f.Level.String()
		if name == "" {
			name = "None"
		}
		parts = append(parts, f.Category+":"+name)
	}
	return strings.Join(parts, ";")
}
