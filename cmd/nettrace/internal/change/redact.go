package change

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
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
	"numbers too. On standard error it prints three lists: the fields in which it replaced text, the\n" +
	"fields in which text stays, and the declared fields without text, whose names stay. Names can hold\n" +
	"secrets, since generated code puts data into names: read the lists before you share the file, and\n" +
	"the names themselves with `events --fields`. --redact=paths replaces only command lines, folders of\n" +
	"paths and the home folders of users, and completely the values of trace properties and payloads that\n" +
	"do not fit their fields."

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

// checkArguments returns an error if an argument is the MODE of --redact.
func (o *redactOptions) checkArguments(cmd *cobra.Command, args []string) error {
	if !cmd.Flags().Changed("redact") || o.redact != redactAll {
		return nil
	}
	for _, mode := range []string{redactAll, redactPaths} {
		if _, err := os.Stat(mode); err != nil && slices.Contains(args, mode) {
			return fmt.Errorf("the value of --redact follows =: --redact=%s", mode)
		}
	}
	return nil
}

// reportRedaction prints the fields in which text was replaced, those in which
// text stays, those without text, with the numbers of their values, and the values of
// --redact-text that were not found.
func reportRedaction(p *run.Program, r *edit.Redactor) {
	if r == nil {
		return
	}
	list := r.Replaced()
	values := func(title string, count func(*edit.Replacement) int64) {
		var b strings.Builder
		total := int64(0)
		for i := range list {
			if n := count(&list[i]); n > 0 {
				total += n
				fmt.Fprintf(&b, "\n  %s: %s", replacementName(&list[i]), display.Grouped(n))
			}
		}
		if total > 0 {
			title += ", by provider, event and field:"
		}
		p.Complain(title+"%s", display.Counted(total, "value"), b.String())
	}
	values("replaced text in %s", func(x *edit.Replacement) int64 { return x.Count })
	values("text stays in %s", func(x *edit.Replacement) int64 { return x.Kept })
	if names := withoutText(list); names != "" {
		p.Complain("no text in these fields, whose names stay:%s", names)
	}
	for _, text := range r.TextsNotFound() {
		p.Complain("warning: --redact-text: %q is in no value that is kept: nothing was replaced for it", text)
	}
}

// withoutText has a line for each event with fields, or without any, that had no
// text.
func withoutText(list []edit.Replacement) string {
	var b strings.Builder
	var event string // the last line
	for i := range list {
		x := &list[i]
		name := eventName(x)
		switch {
		case x.Count > 0, x.Kept > 0:
			continue
		case name != event:
			event = name
			b.WriteString("\n  " + name)
			if x.Field != "" {
				b.WriteString("/")
			}
		case x.Field != "":
			b.WriteString(", ")
		}
		b.WriteString(display.Printable(x.Field))
	}
	return b.String()
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
