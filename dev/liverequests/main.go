// Command liverequests records a web server of .NET 11 under 16 clients at once, half of them with HTTP/2, and compares the requests
// of nettrace report with what the server and the clients wrote down. Runs with and without a recording take turns: it prints the
// processor time of the server for each request. It needs ../shared, and programs that this repository does not start elsewhere.
//
//	go run ./liverequests [-count 20000] [-rounds 3] [-nettrace ../bin/nettrace]
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

var (
	count    = flag.Int("count", 20000, "requests of a run")
	rounds   = flag.Int("rounds", 3, "runs with a recording, and as many without")
	nettrace = flag.String("nettrace", "../bin/nettrace", "the program that records")
	shared   = flag.String("shared", "../../shared", "the folder with the server and the client")
	port     = flag.Int("port", 17000, "the first of three ports of the server")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	costs := map[bool][]float64{}
	for round := range *rounds {
		for _, recorded := range []bool{false, true} {
			cost, err := run(round, recorded)
			if err != nil {
				log.Fatal(err)
			}
			costs[recorded] = append(costs[recorded], cost)
		}
	}
	for recorded, list := range costs {
		slices.Sort(list)
		fmt.Printf("recorded %t: %.0f [%.0f, %.0f] us of processor time for each request\n", recorded, list[len(list)/2], list[0], list[len(list)-1])
	}
}

// program is a program that was started, and the lines that it prints.
type program struct {
	*exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

// start starts a program and reads its lines up to the one with a prefix.
func start(prefix, name string, args ...string) (*program, error) {
	p := &program{Cmd: exec.Command(name, args...)}
	out, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.Stdout, p.Stderr, p.lines = w, w, bufio.NewScanner(out)
	if p.in, err = p.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return p, p.until(prefix)
}

// until reads lines up to the one with a prefix.
func (p *program) until(prefix string) error {
	for p.lines.Scan() {
		if strings.HasPrefix(p.lines.Text(), prefix) {
			return nil
		}
	}
	return fmt.Errorf("%s ended before it printed %q", p.Path, prefix)
}

// say writes a line, and reads lines up to the one with a prefix.
func (p *program) say(line, prefix string) error {
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		return err
	}
	return p.until(prefix)
}

// run serves one load, and returns the processor time of the server for each request, in microseconds.
func run(round int, recorded bool) (float64, error) {
	work, err := os.MkdirTemp("", "liverequests")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	te, apps := filepath.Join(*shared, "oracle/te"), filepath.Join(*shared, "aspnet/bin")
	truth, clients, trace := filepath.Join(work, "truth"), filepath.Join(work, "clients"), filepath.Join(work, "trace.nettrace")
	server, err := start("ready ", te, "run11", filepath.Join(apps, "11a/shop.dll"), strconv.Itoa(*port), truth)
	if err != nil {
		return 0, err
	}
	pid := strings.TrimPrefix(server.lines.Text(), "ready ")
	defer func() { _ = server.Process.Kill() }()
	client, err := start("warm", te, "run11", filepath.Join(apps, "client/client.dll"), strconv.Itoa(*port), strconv.Itoa(round+1), "load", clients, strconv.Itoa(*count))
	if err != nil {
		return 0, err
	}
	defer func() { _ = client.Process.Kill() }()
	var recorder *program
	if recorded {
		if recorder, err = start("nettrace: recording process", *nettrace, "collect", "--profile", "requests", "-o", trace, "-p", pid); err != nil {
			return 0, err
		}
	}
	for _, step := range []func() error{
		func() error { return get("/control/note/begin") }, func() error { return client.say("go", "done") }, func() error { return get("/control/note/end") },
		func() error {
			if recorder == nil {
				return nil
			}
			return errors.Join(recorder.Process.Signal(os.Interrupt), recorder.until("nettrace: the recording ended"), recorder.Wait())
		},
		func() error { return client.say("stop", "end") }, func() error { return get("/control/end") }, server.Wait,
	} {
		if err := step(); err != nil {
			return 0, err
		}
	}
	return compare(truth, clients, trace, recorded)
}

// get asks the server for a path.
func get(path string) error {
	answer, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d%s", *port, path))
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// request is a request as the server, a client or the report has it.
type request struct {
	Type, Text, Direction, State  string // Text is that of a note
	RequestID, Method, Path       string
	Protocol, HTTP                string
	TraceID, SpanID, ParentSpanID string
	Status, T, Begin, End         int64
	ProcessCPU                    int64
	Aborted                       bool
}

// read reads the lines of a file.
func read(data []byte) (list []request, err error) {
	for line := range bytes.Lines(data) {
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// compare compares a report with what the server and its clients wrote down.
func compare(truth, clients, trace string, recorded bool) (float64, error) {
	var lists [2][]request
	for i, file := range []string{truth, clients} {
		data, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		if lists[i], err = read(data); err != nil {
			return 0, err
		}
	}
	notes := map[string]request{}
	for _, r := range lists[0] {
		if r.Type == "note" {
			notes[r.Text] = r
		}
	}
	from, to := notes["begin"], notes["end"]
	var served []request
	for _, r := range lists[0] {
		if r.Type == "request" && r.Begin > from.T && r.End < to.T && !strings.HasPrefix(r.Path, "/control/") {
			served = append(served, r)
		}
	}
	cost := float64(to.ProcessCPU-from.ProcessCPU) / 1e3 / float64(len(served))
	fmt.Printf("%d requests in %.0f s, %.0f us of processor time each", len(served), float64(to.T-from.T)/1e9, cost)
	if !recorded {
		fmt.Println(", not recorded")
		return cost, nil
	}
	out, err := exec.Command(*nettrace, "report", "requests", "--format", "json", trace).Output()
	if err != nil {
		return 0, err
	}
	var report struct{ Rows []request }
	if err := json.Unmarshal(out, &report); err != nil {
		return 0, err
	}
	byID, byCaller := map[string]request{}, map[string]request{}
	for _, r := range report.Rows {
		if r.Direction == "incoming" {
			byID[r.RequestID], byCaller[r.TraceID+r.ParentSpanID] = r, r
		}
	}
	missing, wrong := 0, 0
	for _, r := range served {
		row, ok := byID[r.RequestID]
		switch {
		case !ok || row.State != "completed":
			missing++
		case row.Method != r.Method || row.Path != r.Path || row.Protocol != r.HTTP || row.TraceID != r.TraceID || row.SpanID != r.SpanID ||
			row.Status != r.Status && !(r.Aborted && row.Status == 499):
			wrong++
		}
	}
	asked, unknown, different := 0, 0, 0
	for _, r := range lists[1] {
		if r.Type != "client" || r.TraceID == "" || r.Status == 0 || r.Begin < from.T || r.End > to.T {
			continue
		}
		asked++
		if row, ok := byCaller[r.TraceID+r.SpanID]; !ok {
			unknown++
		} else if row.Status != r.Status {
			different++
		}
	}
	fmt.Printf(", recorded: %d missing, %d different; of %d that clients sent with a trace id %d missing, %d with another status\n", missing, wrong, asked, unknown, different)
	return cost, nil
}
