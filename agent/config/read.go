package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// ReadFile reads a configuration file. An error has the name of the file, and the
// line where there is one. further are types of targets beside TargetTypes.
func ReadFile(name string, further ...string) (*Config, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	c, err := Parse(data, further...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// Parse reads a configuration. It returns all errors that it finds, joined. further
// are types of targets beside TargetTypes.
func Parse(data []byte, further ...string) (*Config, error) {
	c := Default()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(c); err != nil && err != io.EOF {
		return nil, readable(err)
	}
	if err := dec.Decode(new(yaml.Node)); err != io.EOF {
		return nil, errors.New("the file has more than one document")
	}
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return nil, readable(err)
	}
	k := &checker{root: &root, further: further}
	k.check(c)
	if k.errs != nil {
		return nil, errors.Join(k.errs...)
	}
	return c, nil
}

// unknownField is the message of the library about an unknown key, with a name of
// Go.
var unknownField = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`field (\S+) not found in type \S+`) })

// wrongType is the message of the library about a value of another type, with its first
// characters, which can be a secret, and a type of Go.
var wrongType = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?s)^(line \\d+: )cannot unmarshal !!(\\S+)(?: `.*`)? into (\\S+)$")
})

// kindOf describes a type of YAML or of Go.
func kindOf(name string) string {
	switch {
	case name == "seq" || strings.HasPrefix(name, "[]"):
		return "a list"
	case name == "map" || strings.HasPrefix(name, "map[") || strings.HasPrefix(name, "config."):
		return "keys with values"
	case name == "int" || name == "float":
		return "a number"
	case name == "bool":
		return "true or false"
	}
	return "a text"
}

// readable rewrites an error of the library.
func readable(err error) error {
	list := []string{strings.TrimPrefix(err.Error(), "yaml: ")}
	var several *yaml.TypeError
	if errors.As(err, &several) {
		list = slices.Clone(several.Errors)
	}
	for i, text := range list {
		text = unknownField().ReplaceAllString(text, `unknown key "$1"`)
		if part := wrongType().FindStringSubmatch(text); part != nil {
			text = fmt.Sprintf("%swant %s, not %s", part[1], kindOf(part[3]), kindOf(part[2]))
		}
		list[i] = text
	}
	return errors.New(strings.Join(list, "\n"))
}

// Line returns the line of a value in a configuration file by its keys and indexes, or of
// the nearest value around it; 0 for none: Line(data, "targets", 0, "url").
func Line(data []byte, where ...any) int {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return 0
	}
	return lineOf(&root, where...)
}

// lineOf returns the line of a value by its keys and indexes, or of the nearest
// value around it; 0 for none.
func lineOf(n *yaml.Node, path ...any) int {
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		return lineOf(n.Content[0], path...)
	}
	if len(path) == 0 {
		return n.Line
	}
	switch step := path[0].(type) {
	case int:
		if n.Kind == yaml.SequenceNode && step < len(n.Content) {
			return lineOf(n.Content[step], path[1:]...)
		}
	case string:
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return lineOf(n.Content[i+1], path[1:]...)
			}
		}
	}
	return n.Line
}

// has reports whether the file has a key.
func (k *checker) has(key string) bool {
	for _, document := range k.root.Content {
		for i := 0; document.Kind == yaml.MappingNode && i+1 < len(document.Content); i += 2 {
			if document.Content[i].Value == key {
				return true
			}
		}
	}
	return false
}

// values demands that each key below a node has a value: a key without one would have
// no effect.
func (k *checker) values(n *yaml.Node) {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && child.Tag == "!!null" {
			k.errs = append(k.errs, fmt.Errorf("line %d: %s has no value", n.Content[i-1].Line, shownKey(n.Content[i-1].Value)))
		}
		k.values(child)
	}
}
