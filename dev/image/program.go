package main

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// machines maps the architectures of Go to those of ELF.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// binary is a program for an architecture.
type binary struct {
	architecture string
	content      []byte
}

// readPrograms reads the files of ARCHITECTURE=PROGRAM.
func readPrograms(args []string) ([]binary, error) {
	var list []binary
	for _, arg := range args {
		architecture, path, found := strings.Cut(arg, "=")
		if !found {
			return nil, fmt.Errorf("%s: the form is ARCHITECTURE=PROGRAM", arg)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		b := binary{architecture, content}
		if err := b.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", arg, err)
		}
		list = append(list, b)
	}
	return list, nil
}

// check reports an error if a program cannot run in the image: it is for another
// architecture, or it needs a library, which the image does not have.
func (b *binary) check() error {
	machine, known := machines[b.architecture]
	if !known {
		return errors.New("unknown architecture: supported are amd64 and arm64")
	}
	file, err := elf.NewFile(bytes.NewReader(b.content))
	if err != nil {
		return fmt.Errorf("not a program for Linux: %w", err)
	}
	if file.Machine != machine {
		return fmt.Errorf("the program is for %v, not for %v", file.Machine, machine)
	}
	for _, part := range file.Progs {
		if part.Type == elf.PT_INTERP {
			return errors.New("the program needs a dynamic linker: build it with CGO_ENABLED=0")
		}
	}
	return nil
}

// release is what the go command wrote into a program.
type release struct {
	version  string
	revision string // the commit
	created  time.Time
}

// describe returns the release of the programs, which must be of the same commit.
func describe(programs []binary) (release, error) {
	var first release
	for i, p := range programs {
		d, err := p.describe()
		if err != nil {
			return d, fmt.Errorf("%s: %w", p.architecture, err)
		}
		if i == 0 {
			first = d
		}
		if d != first {
			return d, fmt.Errorf("the programs have different versions: %s and %s", first.version, d.version)
		}
	}
	return first, nil
}

func (b *binary) describe() (d release, err error) {
	info, err := buildinfo.Read(bytes.NewReader(b.content))
	if err != nil {
		return d, err
	}
	d.version = info.Main.Version
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			d.revision = setting.Value
		case "vcs.time":
			d.created, err = time.Parse(time.RFC3339, setting.Value)
		}
	}
	if err == nil && (d.revision == "" || d.created.IsZero()) {
		err = errors.New("the program does not name its commit: build it in a clone, not in a git worktree, with -buildvcs=true")
	}
	return d, err
}
