package seekable

import (
	"encoding/binary"
	"io"
	"math"
)

// Parts of the skippable frame that has the seek table.
//
// Format: "Seek Table Format".
const (
	skippableMagic = 0x184D2A5E
	tableMagic     = 0x8F92EAB1
	headSize       = 8 // Skippable_Magic_Number, Frame_Size
	entrySize      = 8 // Compressed_Size, Decompressed_Size
	checksumSize   = 4 // of an entry, with checksumFlag
	footerSize     = 9 // Number_Of_Frames, Seek_Table_Descriptor, Seekable_Magic_Number

	checksumFlag = 1 << 7
	reservedBits = 0x7C
)

// Table collects the sizes of frames in the order of the file. The zero value is an
// empty table.
type Table struct {
	entries []byte
	left    bool // a frame does not fit into the table
}

// Add appends a frame: the number of its bytes, compressed and not.
func (t *Table) Add(stored, plain int) {
	if t.left = t.left || len(t.entries) >= maxFrames*entrySize || uint64(stored) > math.MaxUint32 || uint64(plain) > math.MaxUint32; t.left {
		t.entries = nil
		return
	}
	t.entries = binary.LittleEndian.AppendUint32(t.entries, uint32(stored))
	t.entries = binary.LittleEndian.AppendUint32(t.entries, uint32(plain))
}

// AppendTo appends the skippable frame of the table to b. It appends nothing if the
// table cannot have all frames.
func (t *Table) AppendTo(b []byte) []byte {
	if t.left {
		return b
	}
	b = binary.LittleEndian.AppendUint32(b, skippableMagic)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(t.entries)+footerSize))
	b = append(b, t.entries...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(t.entries)/entrySize))
	b = append(b, 0)
	return binary.LittleEndian.AppendUint32(b, tableMagic)
}

// readTable returns the places of the frames from the seek table at the end of a file.
// The error is ErrNotSeekable if there is no table, or one that does not add up to the
// size of the file.
func readTable(at io.ReaderAt, size int64) ([]place, error) {
	w := &walker{at: at, size: size}
	defer w.close()
	length, entry, err := w.tableSize()
	if err != nil {
		return nil, err
	}
	table, err := w.read(make([]byte, length), size-length)
	if err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(table) != skippableMagic || int64(binary.LittleEndian.Uint32(table[4:])) != length-headSize {
		return nil, ErrNotSeekable
	}
	places := []place{{}}
	for list := table[headSize : length-footerSize]; len(list) > 0; list = list[entry:] {
		last := places[len(places)-1]
		stored, plain := int64(binary.LittleEndian.Uint32(list)), int64(binary.LittleEndian.Uint32(list[4:]))
		next, ok := last.next(stored, plain)
		if !ok || next.stored > size-length {
			return nil, ErrNotSeekable
		}
		if err := w.checkEmpty(last.stored, stored, plain); err != nil {
			return nil, err
		}
		places = append(places, next)
	}
	if places[len(places)-1].stored != size-length {
		return nil, ErrNotSeekable
	}
	return places, nil
}

// tableSize returns the size of the table's frame and of an entry, from the footer.
func (w *walker) tableSize() (length int64, entry int, err error) {
	if w.size < headSize+footerSize {
		return 0, 0, ErrNotSeekable
	}
	footer, err := w.read(make([]byte, footerSize), w.size-footerSize)
	if err != nil {
		return 0, 0, err
	}
	count, descriptor := binary.LittleEndian.Uint32(footer), footer[4]
	if binary.LittleEndian.Uint32(footer[5:]) != tableMagic || descriptor&reservedBits != 0 || count > maxFrames {
		return 0, 0, ErrNotSeekable
	}
	entry = entrySize
	if descriptor&checksumFlag != 0 {
		entry += checksumSize
	}
	length = headSize + int64(count)*int64(entry) + footerSize
	if length > w.size {
		return 0, 0, ErrNotSeekable
	}
	return length, entry, nil
}

// checkEmpty returns an error if a frame that is empty by the table is not empty: it
// would never be decompressed.
func (w *walker) checkEmpty(offset, stored, plain int64) error {
	if plain > 0 {
		return nil
	}
	size, content, err := w.frame(offset)
	if err == nil && (size != stored || content != 0) {
		err = ErrNotSeekable
	}
	return err
}
