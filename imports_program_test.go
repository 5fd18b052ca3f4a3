package nettrace_test

import (
	"fmt"
	"strings"
)

// programFolder has the packages of the program.
const programFolder = "cmd/nettrace/internal/"

// command is the level of the packages that are commands.
const command = 5

// programLevels is the plan of the program's packages in docs/development.md. A package
// imports lower levels only; a command therefore imports no other command.
var programLevels = map[string]int{
	"program":                   6,
	"cmd/nettrace/agentprogram": 6, // for programs of other modules

	"agent": command, "bench": command, "blocks": command, "change": command, "check": command, "collect": command, "conformance": command,
	"counters": command, "dump": command, "env": command, "events": command, "heap": command, "info": command, "perfmap": command, "ps": command, "query": command, "report": command, "stack": command,
	"stacks":     command,
	"summarize":  command,
	"threadtime": command, "top": command, "view": command,

	"formats":     4,
	"tables":      4,
	"tracedoc":    4,
	"perftrace":   4,
	"symbolize":   4,
	"complete":    3,
	"heapdump":    3,
	"live":        3,
	"output":      3,
	"samples":     3,
	"summaryfile": 3,
	"attach":      2,
	"input":       2,
	"interactive": 1,
	"eventtext":   1,
	"filter":      1,
	"metrics":     1,
	"run":         1,
	"display":     0,
	"exit":        0,
	"folderlock":  0,
	"choice":      0,
	"jsontext":    0,
	"memory":      0,
	"parquet":     0,
	"progress":    0,
	"terminal":    0,
	"units":       0,
}

// programTests are the helpers of the program's tests. Only tests, and these packages,
// import them.
var programTests = map[string]bool{"profiletrace": true, "programtest": true, "proctest": true, "testfile": true}

// programViolation says why a package of the program may not import another one, or
// nothing. Both are paths within the module.
func programViolation(from, to string) string {
	importer, imported := strings.TrimPrefix(from, programFolder), strings.TrimPrefix(to, programFolder)
	if from == "cmd/nettrace" {
		if imported != "program" {
			return "package main imports the package program only"
		}
		return ""
	}
	if programTests[importer] {
		return ""
	}
	if programTests[imported] {
		return "it helps tests"
	}
	low, known := programLevels[imported]
	high, alsoKnown := programLevels[importer]
	switch {
	case !known || !alsoKnown:
		return "one of the packages is not in the plan of docs/development.md"
	case low >= high:
		return fmt.Sprintf("level %d of the program may not import its level %d", high, low)
	}
	return ""
}
