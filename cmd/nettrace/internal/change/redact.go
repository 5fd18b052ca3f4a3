package change

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
	"github.com/nettrace-go/nettrace/edit"
)

// The values of --redact.
const (
	redactAll   = "all" // of the flag without a value
	redactPaths = "paths"
)

// redactHelp is the paragraph about --redact in the help of commands.
const redactHelp = "--redact replaces all text in payloads, the values of labels, attributes and properties, and thread\n" +
	"names by asterisks of the same length. It keeps the names of methods, types, assemblies, counters\n" +
	"and instruments, the names of code files without their folders, the names of providers, events and\n" +
	"fields, and numbers. Payloads that do not fit their fields, or have none, are replaced completely,\n" +
	"numbers too. On standard error it prints two lists: the fields whose text it replaced, and the\n" +
	"fields whose text it kept because it is such a name. Names can hold secrets, since generated code\n" +
	"puts data into names: read the lists before you share the file. --redact=paths replaces only command\n" +
	"lines, folders of paths and the home folders of users, and completely the values of trace properties\n" +
	"and payloads that do not fit their fields."

// redactOptions are the flags of commands that can redact.
type redactOptions struct {
	redact string
	texts  []string
}

func (o *redactOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.redact, "redact", "", "replace text by asterisks: `MODE` all: all text; paths: command lines, folders and home folders only; without a MODE: all")
	f.Lookup("redact").NoOptDefVal = redactAll
	f.StringArrayVar(&o.texts, "redact-text", nil, "with --redact: also replace this `TEXT` in the values that are kept; can be repeated")
	_ = cmd.RegisterFlagCompletionFunc("redact", cobra.FixedCompletions([]string{redactAll, redactPaths}, cobra.ShellCompDirectiveNoFileComp))
}

// redactor returns the redactor of the flags, or nil.
func (o *redactOptions) redactor() (*edit.Redactor, error) {
	opt := edit.RedactOptions{Texts: o.texts, Names: symbols.NewNaming(symbols.Options{}).Names}
	switch o.redact {
	case "":
		if len(o.texts) > 0 {
			return nil, errors.New("--redact-text needs --redact")
		}
		return nil, nil
	case redactAll:
	case redactPaths:
		opt.PathsOnly = true
	default:
		return nil, fmt.Errorf("--redact=%s: want %s or %s", o.redact, redactAll, redactPaths)
	}
	return edit.NewRedactor(opt), nil
}

// reportRedaction prints the replaced values by field, and the names of events
// and fields that are kept.
func reportRedaction(p *run.Program, r *edit.Redactor) {
	if r == nil {
		return
	}
	var b strings.Builder
	total := int64(0)
	list := r.Replaced()
	for i := 0; i < len(list); i++ {
		x := &list[i]
		if total += x.Count; x.Count > 0 {
			fmt.Fprintf(&b, "\n  %s: %s", replacementName(x), display.Grouped(x.Count))
			continue
		}
		last := i
		for last+1 < len(list) && list[last+1].Count == 0 && sameEvent(&list[last+1], x) {
			last++
		}
		if i == 0 || x.Field != "" || !sameEvent(&list[i-1], x) { // else the event was named above
			fmt.Fprintf(&b, "\n  %s: 0", keptNames(list[i:last+1]))
		}
		i = last
	}
	p.Complain("replaced %s, by provider, event and field:%s", display.Counted(total, "value"), b.String())
}

func sameEvent(a, b *edit.Replacement) bool {
	return a.Provider == b.Provider && a.EventID == b.EventID && a.Event == b.Event
}

// keptNames names the fields of an event in which nothing was replaced.
func keptNames(list []edit.Replacement) string {
	x := list[0]
	var fields []string
	for i := range list {
		if list[i].Field != "" {
			fields = append(fields, display.Printable(list[i].Field))
		}
	}
	name := eventName(&x)
	switch {
	case len(fields) == 1:
		name += "/" + fields[0]
	case len(fields) > 1:
		name += "/{" + strings.Join(fields, ", ") + "}"
	}
	return name
}

// replacementName describes the origin of a replaced value: provider, event and
// field, or place and key.
func replacementName(x *edit.Replacement) string {
	switch {
	case x.Where == edit.InField:
		return eventName(x) + "/" + display.Printable(x.Field)
	case x.Where == edit.InPayload, x.Where == edit.InUnknownFields, x.Where == edit.InMetadataText:
		return eventName(x) + " (" + x.Where.String() + ")"
	case x.Field == "":
		return x.Where.String()
	}
	return x.Where.String() + " " + display.Printable(x.Field)
}

// eventName returns a provider with the name or number of an event.
func eventName(x *edit.Replacement) string {
	m := codec.Metadata{Provider: x.Provider, EventID: x.EventID, Name: x.Event}
	event := ndjson.EventName(&m, math.MaxUint32)
	if event == "" {
		event = fmt.Sprint(x.EventID)
	}
	return display.Printable(x.Provider) + "/" + display.Printable(event)
}
