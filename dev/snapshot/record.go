package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// record is the result of one command with one input.
type record struct {
	command string // as in commands.go
	input   string // its name, or noInput
	exit    int
	stdout  string   // hash
	stderr  string   // hash
	files   []string // "name=hash" of each file that the command wrote, or changed, sorted
}

// noInput is the input of commands that read none.
const noInput = "-"

// key identifies a record in a snapshot.
func (r record) key() string { return r.command + "\t" + r.input }

// String returns the record's line in a snapshot.
func (r record) String() string {
	return fmt.Sprintf("%s\texit=%d\tstdout=%s\tstderr=%s\tfiles=%s",
		r.key(), r.exit, r.stdout, r.stderr, strings.Join(r.files, ","))
}

// parseRecord is the reverse of String.
func parseRecord(line string) (record, error) {
	columns := strings.Split(line, "\t")
	if len(columns) != 6 {
		return record{}, fmt.Errorf("%q has %d columns, want 6", line, len(columns))
	}
	r := record{command: columns[0], input: columns[1]}
	var values [4]string
	for i, name := range []string{"exit", "stdout", "stderr", "files"} {
		value, ok := strings.CutPrefix(columns[2+i], name+"=")
		if !ok {
			return record{}, fmt.Errorf("%q is not %s=", columns[2+i], name)
		}
		values[i] = value
	}
	var err error
	if r.exit, err = strconv.Atoi(values[0]); err != nil {
		return record{}, err
	}
	r.stdout, r.stderr = values[1], values[2]
	if values[3] != "" {
		r.files = strings.Split(values[3], ",")
	}
	return r, nil
}

// sortRecords sorts by command and input.
func sortRecords(all []record) {
	slices.SortFunc(all, func(a, b record) int { return cmp.Compare(a.key(), b.key()) })
}

// readRecords reads the lines of a snapshot, by key.
func readRecords(src io.Reader) (map[string]record, error) {
	all := map[string]record{}
	lines := bufio.NewScanner(src)
	for lines.Scan() {
		r, err := parseRecord(lines.Text())
		if err != nil {
			return nil, err
		}
		all[r.key()] = r
	}
	return all, lines.Err()
}
