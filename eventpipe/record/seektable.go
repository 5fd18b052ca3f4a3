package record

// noteFrame notes the sizes of a frame that was written, for the seek table.
func (f *File) noteFrame(packed, plain int) {
	if f.frames != nil {
		f.frames.Add(packed, plain)
	}
}

// writeTable appends the seek table of a zstd file after the end mark. The trace is
// complete without it, so a file without space for the table ends with the end mark.
func (f *File) writeTable() {
	if f.err != nil || f.frames == nil || f.mark == nil {
		return
	}
	f.noteFrame(len(f.mark), len(EndMark(f.head)))
	table := f.frames.AppendTo(nil)
	if !f.regular {
		if _, err := f.dst.Write(table); err != nil {
			f.fail(err, 0)
		}
		return
	}
	end := f.end + int64(len(f.mark))
	if _, err := f.dst.WriteAt(table, end); err != nil {
		if err := f.dst.Truncate(end); err != nil {
			f.fail(err, 0)
		}
	}
}
