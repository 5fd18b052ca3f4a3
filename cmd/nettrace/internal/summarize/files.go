package summarize

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/summaryfile"
)

// traceNames are the ends of the names of traces in a folder.
var traceNames = []string{
	".nettrace", ".nettrace.zst", ".nettrace.gz", ".netperf", ".netperf.zst", ".netperf.gz",
}

// files returns the names of the traces of arguments: a folder means the traces in it.
func files(args []string) ([]string, error) {
	var list []string
	for _, name := range args {
		if summaryfile.Is(name) {
			return nil, fmt.Errorf("%s is a summary: --merge adds up summaries", name)
		}
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			list = append(list, name) // opening it reports the error
			continue
		}
		found, err := inFolder(name)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// inFolder returns the traces below a folder, which can be a symbolic link.
func inFolder(folder string) ([]string, error) {
	var list []string
	err := filepath.WalkDir(folder+string(filepath.Separator), func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && slices.ContainsFunc(traceNames, func(end string) bool { return strings.HasSuffix(name, end) }) {
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	if len(list) == 0 {
		return nil, exit.With(exit.Usage, fmt.Errorf("%s: no file in this folder has the name of a trace (%s)", folder, strings.Join(traceNames, ", ")))
	}
	return list, nil
}

// shard is a part of the files: those whose name has the remainder at of n. The zero value
// is all files.
type shard struct{ at, n uint64 }

// parseShard reads the value of --shard.
func parseShard(text string) (shard, error) {
	if text == "" {
		return shard{}, nil
	}
	first, second, _ := strings.Cut(text, "/")
	at, err1 := strconv.ParseUint(first, 10, 32)
	n, err2 := strconv.ParseUint(second, 10, 32)
	if err1 != nil || err2 != nil || at >= n {
		return shard{}, fmt.Errorf("--shard: %q is not I/N with I from 0 to N-1", text)
	}
	return shard{at, n}, nil
}

// of returns the files of the shard. The name decides, so that a file that only some
// machines see moves no other one.
func (s shard) of(list []string) []string {
	if s.n == 0 {
		return list
	}
	var mine []string
	for _, name := range list {
		h := fnv.New64a()
		h.Write([]byte(name))
		if h.Sum64()%s.n == s.at {
			mine = append(mine, name)
		}
	}
	return mine
}
