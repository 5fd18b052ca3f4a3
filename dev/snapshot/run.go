package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// timeout ends a run that hangs. It is far above the time of any command.
const timeout = 10 * time.Minute

// task is a command line and the inputs it is run with.
type task struct {
	command string
	file    input // the zero value if it has none
	other   input
}

func (t task) inputName() string {
	if t.file.name == "" {
		return noInput
	}
	return t.file.name
}

// program is the binary under test.
type program struct {
	path     string
	spelling spelling
}

// fixtures are the files that are in the folder of each run, by name.
var fixtures = map[string]string{
	"suppressions.txt": "NT-EOS-006 # truncated\nNT6-EVB-010 *.nettrace* # times\n",
	"known.txt":        "# not read\nvalid/metadata/attribute-twice.v6\n",
}

// run runs a task in a new folder below dir. Standard output and standard
// error also go to the two writers.
func (p program) run(t task, dir string, stdout, stderr io.Writer) (record, error) {
	dir, err := os.MkdirTemp(dir, "")
	if err != nil {
		return record{}, err
	}
	defer os.RemoveAll(dir)
	if err := p.provide(t, dir); err != nil {
		return record{}, err
	}
	cmd, stop, err := p.command(t, dir)
	if err != nil {
		return record{}, err
	}
	defer stop()
	outHash, errHash := sha256.New(), sha256.New()
	cmd.Stdout, cmd.Stderr = io.MultiWriter(outHash, stdout), io.MultiWriter(errHash, stderr)
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || !exit.Exited()) {
		return record{}, fmt.Errorf("%s, %s: %w", t.command, t.inputName(), err)
	}
	r := record{command: t.command, input: t.inputName(), exit: cmd.ProcessState.ExitCode(),
		stdout: sum(outHash), stderr: sum(errHash)}
	r.files, err = written(dir)
	return r, err
}

// command makes the process. Its environment is the same on each machine.
func (p program) command(t task, dir string) (*exec.Cmd, func(), error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	var args []string
	var stdin io.Reader = new(bytes.Reader)
	stop := cancel
	for _, word := range p.spelling.words(t.command) {
		switch word {
		case "FILE":
			word = t.file.name
		case "OTHER":
			word = t.other.name
		case "THREADS":
			word = threads()
		case "PROGRAM":
			word = "./" + programName
		case "<FILE":
			f, err := os.Open(t.file.path)
			if err != nil {
				cancel()
				return nil, nil, err
			}
			stdin, stop = f, func() { f.Close(); cancel() }
			continue
		}
		args = append(args, word)
	}
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Dir, cmd.Stdin = dir, stdin
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC", "HOME=" + dir, "TMPDIR=" + dir, "PATH=/usr/bin:/bin"}
	return cmd, stop, nil
}

// programName is the link to the program in the folder of a run.
const programName = "program"

// provide puts links to the program and the inputs, and the fixtures, into a
// folder.
func (p program) provide(t task, dir string) error {
	if err := os.Symlink(p.path, filepath.Join(dir, programName)); err != nil {
		return err
	}
	for _, in := range []input{t.file, t.other} {
		if in.name == "" {
			continue
		}
		if err := os.Symlink(in.path, filepath.Join(dir, in.name)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	for name, content := range fixtures {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// manyFiles is the number of written files above which a record has one hash of
// all of them.
const manyFiles = 20

// written returns the files in the folder that a task made or changed.
func written(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if content, ok := fixtures[name]; err != nil || ok && string(data) == content {
			return err
		}
		files = append(files, filepath.ToSlash(name)+"="+hash(data))
		return nil
	})
	if len(files) > manyFiles {
		all := strings.Join(files, "\n")
		files = []string{fmt.Sprintf("%d files=%s", len(files), hash([]byte(all)))}
	}
	return files, err
}

// sum returns the same as hash, for the bytes written to h.
func sum(h interface{ Sum([]byte) []byte }) string { return fmt.Sprintf("%x", h.Sum(nil)[:16]) }
