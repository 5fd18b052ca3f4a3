package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// Config is a configuration file of a session, in TOML or JSON, which package
// sessionfile reads:
//
//	profiles = ["dotnet-common"]
//	buffersize = 64
//	rundown = false
//	stacks = true
//
//	[[providers]]
//	name = "Microsoft-Diagnostics-DiagnosticSource"
//	keywords = "0x3"
//	level = "verbose"
//	arguments = { FilterAndPayloadSpecs = "HttpHandlerDiagnosticListener/System.Net.Http.Request:-Method,Uri" }
//	deny = [80]
type Config struct {
	Profiles      []string         `toml:"profiles" json:"profiles"`           // names of Profiles
	CLREvents     string           `toml:"clrevents" json:"clrevents"`         // see Selection
	CLREventLevel string           `toml:"clreventlevel" json:"clreventlevel"` // see Selection
	BufferSize    int              `toml:"buffersize" json:"buffersize"`       // MB; 0 is the default
	Rundown       any              `toml:"rundown" json:"rundown"`             // a boolean or the keyword, see RundownKeyword
	Stacks        *bool            `toml:"stacks" json:"stacks"`               // record stacks; nil is the default, true
	Providers     []ConfigProvider `toml:"providers" json:"providers"`         // see Selected
}

// ConfigProvider is one provider of a Config.
type ConfigProvider struct {
	Name      string   `toml:"name" json:"name"`           // required
	Keywords  any      `toml:"keywords" json:"keywords"`   // a number, or hexadecimal text
	Level     any      `toml:"level" json:"level"`         // a number or a name; default informational
	Arguments any      `toml:"arguments" json:"arguments"` // text, or a table of keys and values
	Allow     []uint32 `toml:"allow" json:"allow"`         // record only these event ids; excludes Deny
	Deny      []uint32 `toml:"deny" json:"deny"`           // record all events but these ids; excludes Allow
}

// Selected returns the providers of the file. It does not resolve Profiles and
// CLREvents.
func (c *Config) Selected() ([]eventpipe.Provider, error) {
	var list []eventpipe.Provider
	for i := range c.Providers {
		p, err := c.Providers[i].provider()
		if err != nil {
			return nil, fmt.Errorf("provider %s: %w", c.Providers[i].Name, err)
		}
		list = append(list, p)
	}
	return list, nil
}

func (p *ConfigProvider) provider() (eventpipe.Provider, error) {
	out := eventpipe.Provider{Name: p.Name, Level: defaultLevel}
	var err error
	switch k := p.Keywords.(type) {
	case nil:
	case int64:
		out.Keywords = uint64(k)
	default:
		out.Keywords, err = keywordsOf(k)
	}
	if err == nil && p.Level != nil {
		out.Level, err = parseLevel(fmt.Sprint(p.Level))
	}
	if err == nil {
		out.Arguments, err = argumentsOf(p.Arguments)
	}
	switch {
	case err != nil:
		return out, err
	case p.Name == "":
		return out, fmt.Errorf("its name is missing")
	case len(p.Allow) > 0 && len(p.Deny) > 0:
		return out, fmt.Errorf("allow and deny exclude each other")
	case len(p.Allow) > 0:
		out.Filter = &eventpipe.EventFilter{IDs: p.Allow}
	case len(p.Deny) > 0:
		out.Filter = &eventpipe.EventFilter{IDs: p.Deny, Deny: true}
	}
	return out, nil
}

// keywordsOf reads text as hexadecimal; a number of JSON is decimal.
func keywordsOf(value any) (uint64, error) {
	switch k := value.(type) {
	case string:
		return parseKeywords(k)
	case json.Number:
		var mask uint64
		_, err := fmt.Sscan(k.String(), &mask)
		if err != nil {
			return 0, fmt.Errorf("keywords %s are not a number of 64 bits", k)
		}
		return mask, nil
	}
	return 0, fmt.Errorf("keywords %v are neither a number nor text", value)
}

// argumentsOf makes "key=value;key=value". Keys and values of a table with a semicolon
// or an equals sign are put between quotes.
func argumentsOf(value any) (string, error) {
	switch a := value.(type) {
	case nil:
		return "", nil
	case string:
		return parseArguments(a, false)
	case map[string]any:
		var pairs []string
		for key, v := range a {
			switch v.(type) {
			case string, bool, int64, float64, json.Number:
			default:
				return "", fmt.Errorf("argument %s is not a plain value", key)
			}
			text := fmt.Sprint(v)
			if strings.ContainsAny(key+text, "\"\x00") {
				return "", fmt.Errorf("argument %s has a quote or a NUL, which the runtime would remove", key)
			}
			pairs = append(pairs, quoted(key)+"="+quoted(text))
		}
		slices.Sort(pairs)
		return strings.Join(pairs, ";"), nil
	}
	return "", fmt.Errorf("arguments %v are neither text nor a table", value)
}

// RundownKeyword interprets the rundown option of a file or command line. true
// and nil mean the default rundown, false means none; a number or hexadecimal
// text is the keyword. keyword 0 with off false is the default.
func RundownKeyword(value any) (keyword uint64, off bool, err error) {
	switch v := value.(type) {
	case nil:
		return 0, false, nil
	case bool:
		return 0, !v, nil
	case int64:
		return uint64(v), v == 0, nil
	case string:
		if on, err := strconv.ParseBool(v); err == nil && len(v) > 1 {
			return 0, !on, nil
		}
	}
	keyword, err = keywordsOf(value)
	if err != nil {
		err = fmt.Errorf("rundown: %v is neither true nor false nor keywords in hexadecimal", value)
	}
	return keyword, keyword == 0 && err == nil, err
}
