package delivery

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/agent/internal/partfile"
)

// store keeps the items of a queue.
type store interface {
	put(item *Item, size int64) (entry, error)
	get(e entry) (*Item, error)
	remove(e entry)
}

// inMemory keeps items in their entries.
type inMemory struct{}

func (*inMemory) put(item *Item, size int64) (entry, error) {
	return entry{size: size, item: item}, nil
}
func (*inMemory) get(e entry) (*Item, error) { return e.item, nil }
func (*inMemory) remove(entry)               {}

// folder keeps each item in a file, whose name has its number: a line of JSON and
// the body. A file appears when it is complete.
type folder struct {
	dir  string
	next uint64
}

const itemSuffix, partSuffix = ".item", ".part"

// openFolder creates the folder, or returns the items in it, the oldest first.
func openFolder(dir string) (*folder, []entry, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	f := &folder{dir: dir, next: 1}
	var left []entry
	for _, file := range files {
		if strings.HasSuffix(file.Name(), partSuffix) {
			_ = os.Remove(filepath.Join(dir, file.Name())) // of a program that was killed
			continue
		}
		digits, ok := strings.CutSuffix(file.Name(), itemSuffix)
		number, err := strconv.ParseUint(digits, 10, 64)
		info, failed := file.Info()
		if !ok || err != nil || failed != nil {
			continue
		}
		left = append(left, entry{number: number, size: info.Size()})
		f.next = max(f.next, number+1)
	}
	slices.SortFunc(left, func(a, b entry) int {
		if a.number < b.number {
			return -1
		}
		return 1
	})
	return f, left, nil
}

func (f *folder) path(e entry) string {
	return filepath.Join(f.dir, fmt.Sprintf("%020d%s", e.number, itemSuffix))
}

func (f *folder) put(item *Item, size int64) (entry, error) {
	e := entry{number: f.next, size: size}
	f.next++
	header := *item
	header.Body = nil
	line, err := json.Marshal(header)
	if err != nil {
		return e, err
	}
	path := f.path(e)
	if err := os.MkdirAll(f.dir, 0o700); err != nil { // it may have been removed
		return e, err
	}
	return e, partfile.Write(path, path+partSuffix, slices.Concat(line, []byte("\n"), item.Body), 0o600)
}

func (f *folder) get(e entry) (*Item, error) {
	data, err := os.ReadFile(f.path(e))
	if err != nil {
		return nil, err
	}
	line, body, ok := bytes.Cut(data, []byte("\n"))
	if !ok {
		return nil, fmt.Errorf("%s is truncated", f.path(e))
	}
	var item Item
	if err := json.Unmarshal(line, &item); err != nil {
		return nil, fmt.Errorf("%s: %w", f.path(e), err)
	}
	item.Body = body
	return &item, nil
}

func (f *folder) remove(e entry) { _ = os.Remove(f.path(e)) }
