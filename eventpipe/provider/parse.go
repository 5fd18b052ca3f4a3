package provider

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// defaultLevel is the level of a provider without one: informational.
const defaultLevel = 4

// levels by their names, in lower case.
var levels = map[string]int{
	"logalways": 0, "critical": 1, "error": 2, "warning": 3, "informational": 4, "info": 4, "verbose": 5,
}

// parseLevel parses a level: a name or a number. Numbers above 5 (verbose)
// return 5.
func parseLevel(text string) (int, error) {
	if level, ok := levels[strings.ToLower(text)]; ok {
		return level, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("level %q is neither a number nor one of critical, error, warning, informational, verbose, logalways", text)
	}
	return min(int(n), 5), nil
}

// parseKeywords parses a hexadecimal mask, with or without 0x. The empty text
// is 0.
func parseKeywords(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	digits := strings.TrimPrefix(strings.TrimPrefix(text, "0x"), "0X")
	mask, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		return 0, fmt.Errorf("keywords %q are not a hexadecimal number of 64 bits", text)
	}
	return mask, nil
}

// Parse parses one provider: Name[:Keywords[:Level[:Arguments]]]. Arguments,
// "key=value;key=value", extend to the end of the text and may contain colons
// and commas. A key or value with a semicolon or an equals sign must be between quotes.
// As in dotnet-trace a backslash begins an escape: \r, \n, \t, \\, \", \xHH, \uHHHH and
// the other ones of .NET's regular expressions. The provider's Arguments are without
// escapes. A Name with a comma is an error, since such a text is usually a list; a
// Config can have such a name.
func Parse(text string) (eventpipe.Provider, error) {
	parts := strings.SplitN(text, ":", 4)
	p := eventpipe.Provider{Name: strings.TrimSpace(parts[0]), Level: defaultLevel}
	if p.Name == "" {
		return p, fmt.Errorf("provider %q has no name", text)
	}
	if strings.Contains(p.Name, ",") {
		return p, fmt.Errorf("provider %q: a name has no comma: want one provider, not a list", p.Name)
	}
	var err error
	if len(parts) > 1 {
		if p.Keywords, err = parseKeywords(strings.TrimSpace(parts[1])); err != nil {
			return p, fmt.Errorf("provider %s: %w", p.Name, err)
		}
	}
	if len(parts) > 2 && parts[2] != "" {
		if p.Level, err = parseLevel(strings.TrimSpace(parts[2])); err != nil {
			return p, fmt.Errorf("provider %s: %w", p.Name, err)
		}
	}
	if len(parts) > 3 {
		if p.Arguments, err = parseArguments(parts[3], true); err != nil {
			return p, fmt.Errorf("provider %s: %w", p.Name, err)
		}
	}
	return p, nil
}

// ParseList parses providers separated by commas. Unlike with [Parse],
// arguments cannot contain a comma.
func ParseList(text string) ([]eventpipe.Provider, error) {
	var list []eventpipe.Provider
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		p, err := Parse(part)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// ParseFilter parses an event filter: PROVIDER:+1,2 records only these events,
// PROVIDER:-80 all except these.
func ParseFilter(text string) (name string, filter *eventpipe.EventFilter, err error) {
	at := strings.LastIndexByte(text, ':')
	wrong := fmt.Errorf("event filter %q is not PROVIDER:+ID,ID or PROVIDER:-ID,ID", text)
	if at <= 0 || len(text) < at+3 || text[at+1] != '+' && text[at+1] != '-' {
		return "", nil, wrong
	}
	filter = &eventpipe.EventFilter{Deny: text[at+1] == '-'}
	for part := range strings.SplitSeq(text[at+2:], ",") {
		id, err := strconv.ParseUint(strings.TrimSpace(part), 10, 32)
		if err != nil {
			return "", nil, wrong
		}
		filter.IDs = append(filter.IDs, uint32(id))
	}
	return text[:at], filter, nil
}
