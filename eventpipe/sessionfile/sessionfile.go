// Package sessionfile reads configuration files of sessions, in TOML or JSON. It is a package
// of its own because a program that has no such files needs no library for TOML.
//
//	config, err := sessionfile.Read("session.toml", file)
//	providers, err := config.Selected()
package sessionfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// Read reads a configuration file. It is JSON if name ends in .json,
// otherwise TOML. An unknown key is an error.
func Read(name string, r io.Reader) (*provider.Config, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	c := &provider.Config{}
	if strings.EqualFold(filepath.Ext(name), ".json") {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		d.UseNumber()
		err = d.Decode(c)
	} else {
		var known toml.MetaData
		known, err = toml.Decode(string(text), c)
		if more := known.Undecoded(); err == nil && len(more) > 0 && !belowArguments(more) {
			err = fmt.Errorf("unknown key %s", more[0])
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// belowArguments reports whether all keys are below a provider's arguments.
func belowArguments(keys []toml.Key) bool {
	for _, k := range keys {
		if len(k) < 3 || k[0] != "providers" || k[1] != "arguments" {
			return false
		}
	}
	return true
}
