package main

import (
	"io"
	"path/filepath"
)

// convertProfile writes a trace as a profile.
func (p *program) convertProfile(name string, f *format, o *convertOptions) error {
	how := profileOutput{
		source: filepath.Base(name), // folders can name users
		name:   o.name, rawNames: o.rawNames, merge: o.merge, commandLine: o.commandLine,
	}
	var l *loaded
	return p.transform(name, &o.outputOptions, func(in io.Reader, out io.Writer) error {
		var err error
		if l, err = o.load(name, in, f.marks && o.kind == "" && o.provider == ""); err != nil {
			return err
		}
		if len(l.types) == 0 && !(f.marks && l.marked()) {
			return l.empty()
		}
		return f.write(out, l, &how)
	}, func() { l.tell(p, f.shown(l)) })
}
