// Uncovered lists the statements of package codec and of the packages below it
// that no test reaches: make cover. Each must be explained in explained.tsv, by
// the file, the function, the line that leads to it and the reason. It also lists
// explanations that were not needed; the next run may need them, because some
// lines run at random.
//
//	go test -coverpkg=./codec/... -coverprofile=PROFILE ./...
//	bin/uncovered PROFILE
package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/nettrace-go/nettrace/"

// minShare is the minimum share of statements that tests must reach.
const minShare = 0.95

//go:embed explained.tsv
var explained string

// block is a run of statements, as a coverage profile counts them.
type block struct {
	file       string
	line       int // where it starts
	statements int
	count      int
}

// place is how an explanation names a block: it stays when lines move.
type place struct{ file, function, text string }

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: uncovered PROFILE")
		os.Exit(2)
	}
	ok, err := run(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func run(profile string) (ok bool, err error) {
	blocks, err := readProfile(profile)
	if err != nil {
		return false, err
	}
	reasons, err := readReasons()
	if err != nil {
		return false, err
	}
	all, reached := 0, 0
	ok = true
	files, used := sources{}, map[place]bool{}
	for _, b := range blocks {
		all += b.statements
		if b.count > 0 {
			reached += b.statements
			continue
		}
		at, err := files.placeOf(b)
		if err != nil {
			return false, err
		}
		if used[at] = true; reasons[at] == "" {
			fmt.Printf("%s:%d: not reached: %s: %s\n", b.file, b.line, at.function, at.text)
			ok = false
		}
	}
	for at := range reasons {
		if !used[at] {
			fmt.Printf("%s: explained, but reached: %s: %s\n", at.file, at.function, at.text)
		}
	}
	share := float64(reached) / float64(all)
	fmt.Printf("%d of %d statements: %.1f %%; %d places explained\n", reached, all, 100*share, len(reasons))
	return ok && share >= minShare, nil
}

// readProfile adds up the blocks of a profile, which has each once for every
// package that was tested.
func readProfile(name string) ([]*block, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	known := map[string]*block{}
	var list []*block
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if len(words) != 3 {
			continue // the mode
		}
		b := known[words[0]]
		if b == nil {
			if b, err = parseBlock(words); err != nil {
				return nil, fmt.Errorf("%s: %q: %w", name, line, err)
			}
			known[words[0]] = b
			list = append(list, b)
		}
		if words[2] != "0" {
			b.count++
		}
	}
	return list, nil
}

// parseBlock reads FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS COUNT.
func parseBlock(words []string) (*block, error) {
	file, span, _ := strings.Cut(words[0], ":")
	start, _, _ := strings.Cut(span, ".")
	line, err := strconv.Atoi(start)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(words[1])
	return &block{file: strings.TrimPrefix(file, module), line: line, statements: n}, err
}

func readReasons() (map[place]string, error) {
	reasons := map[place]string{}
	s := bufio.NewScanner(strings.NewReader(explained))
	for s.Scan() {
		if s.Text() == "" || strings.HasPrefix(s.Text(), "#") {
			continue
		}
		columns := strings.Split(s.Text(), "\t")
		if len(columns) != 4 || slices.Contains(columns, "") {
			return nil, fmt.Errorf("explained.tsv: %q has not a file, a function, a line and a reason", s.Text())
		}
		reasons[place{columns[0], columns[1], columns[2]}] = columns[3]
	}
	return reasons, s.Err()
}

// sources holds the lines of the reported files.
type sources map[string][]string

// function finds the name in the line that a function begins with.
var function = regexp.MustCompile(`^func (?:\(\w+ \*?(\w+)[^)]*\) )?(\w+)`)

func (files sources) placeOf(b *block) (place, error) {
	if files[b.file] == nil {
		data, err := os.ReadFile(b.file)
		if err != nil {
			return place{}, err
		}
		files[b.file] = strings.Split(string(data), "\n")
	}
	lines := files[b.file][:b.line]
	at := place{file: b.file, text: strings.TrimSpace(lines[b.line-1])}
	for i := b.line - 1; i >= 0 && at.function == ""; i-- {
		if name := function.FindStringSubmatch(lines[i]); name != nil {
			at.function = strings.TrimPrefix(name[1]+"."+name[2], ".")
		}
	}
	return at, nil
}
