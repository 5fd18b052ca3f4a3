// Command oracle compares the events that codec reads with another reader's.
//
//	oracle         compares each real trace with the answer stored for it
//	oracle FILE    asks the other reader (te) about a file, and compares
//
// The traces, the answers and te lie in a folder "shared" beside the
// repository, or where NETTRACE_SHARED says. The exit status is 1 when
// something differs, 2 when nothing could be compared.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/oracle/compare"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	shared := os.Getenv("NETTRACE_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "shared")
	}
	var same bool
	var err error
	switch len(args) {
	case 0:
		same, err = stored(stdout, shared)
	case 1:
		same, err = live(stdout, filepath.Join(shared, "oracle", "te"), args[0])
	default:
		err = errors.New("usage: oracle [FILE]")
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "oracle:", err)
		return 2
	case !same:
		return 1
	}
	return 0
}

// stored compares every trace that has an answer, and prints a line for each.
func stored(out io.Writer, shared string) (bool, error) {
	traces, err := filepath.Glob(filepath.Join(shared, "traces", "*.net*.zst"))
	if err != nil {
		return false, err
	}
	if len(traces) == 0 {
		return false, fmt.Errorf("no traces in %s (NETTRACE_SHARED can name another folder)", filepath.Join(shared, "traces"))
	}
	same := true
	for _, path := range traces {
		name := filepath.Base(path)
		name = strings.TrimSuffix(strings.TrimSuffix(name, ".nettrace.zst"), ".netperf.zst")
		equal, err := storedTrace(out, name, path, filepath.Join(shared, "oracle", name+".events.tsv.zst"))
		if err != nil {
			return false, err
		}
		same = same && equal
	}
	return same, nil
}

func storedTrace(out io.Writer, name, path, answer string) (bool, error) {
	trace, err := unpacked(path)
	if err != nil {
		return false, err
	}
	r := codec.NewBytesReader(trace, codec.Options{})
	ours, fault := compare.Read(r)
	table, err := unpacked(answer)
	if errors.Is(err, os.ErrNotExist) {
		fmt.Fprintf(out, "%-36s %7d       -  no answer is stored; %s\n", name, len(ours), verdict(nil, fault, false))
		return true, nil
	}
	if err != nil {
		return false, err
	}
	theirs, err := compare.Parse(string(table))
	if err != nil {
		return false, fmt.Errorf("%s: %w", answer, err)
	}
	// The other reader loses the events in its queue when a trace is truncated.
	partial := errors.Is(fault, codec.ErrTruncated)
	differences := compare.Compare(ours, theirs, partial)
	fmt.Fprintf(out, "%-36s %7d %7d  %s\n", name, len(ours), len(theirs), verdict(differences, fault, partial))
	return len(differences) == 0 && (fault == nil || partial), nil
}

func verdict(differences []compare.Difference, fault error, partial bool) string {
	switch {
	case len(differences) > 0:
		return fmt.Sprintf("%d differences, the first: %v", len(differences), differences[0])
	case partial:
		return "all events of the other reader found; codec ends with: " + fault.Error()
	case fault != nil:
		return "codec ends with: " + fault.Error()
	}
	return "equal"
}

// live runs the other reader on one file and compares the results.
func live(out io.Writer, te, path string) (bool, error) {
	trace, err := unpacked(path)
	if err != nil {
		return false, err
	}
	plain, err := os.CreateTemp("", "oracle*.nettrace")
	if err != nil {
		return false, err
	}
	defer os.Remove(plain.Name())
	_, err = plain.Write(trace)
	if err = errors.Join(err, plain.Close()); err != nil {
		return false, err
	}
	answer, err := compare.Ask(te, plain.Name())
	if err != nil {
		return false, err
	}
	r := codec.NewBytesReader(trace, codec.Options{OnError: codec.Skip})
	ours, fault := compare.Read(r)
	bad, first := r.BadBlocks()
	if fault == nil && bad > 0 {
		fault = first
	}
	differences := compare.Compare(ours, answer.Rows, answer.Fail != "")
	fmt.Fprintf(out, "%s\nours:   %d events, %d lost, ends in: %v\ntheirs: %d events, %d lost, ends in: %s\n",
		path, len(ours), r.Lost(), orComplete(fault), len(answer.Rows), answer.Lost, orComplete(answer.Fail))
	for _, d := range differences[:min(len(differences), 20)] {
		fmt.Fprintln(out, d)
	}
	if len(differences) > 0 {
		fmt.Fprintln(out, len(differences), "differences")
	}
	return len(differences) == 0 && (fault == nil) == (answer.Fail == ""), nil
}

// orComplete describes the end of a stream.
func orComplete(end any) any {
	if end == nil || end == "" {
		return "the end mark"
	}
	return end
}

// unpacked reads a file, and decompresses it if it is compressed with zstd or gzip.
func unpacked(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	source, err := nettrace.NewSource(file, nettrace.SourceOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer source.Close()
	data, err := io.ReadAll(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}
