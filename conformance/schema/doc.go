// Package schema has lines.json, the JSON Schema of the lines of
// conformance/PROTOCOL.md, and the tests that compare it with the printed lines
// and with the examples of that document. It is a module of its own, so that users
// do not download a library for JSON Schema.
package schema

import _ "embed"

// Lines is the schema of a line.
//
//go:embed lines.json
var Lines []byte
