package input

import (
	"fmt"
	"io/fs"
	"os"
)

// RefuseRepeated returns an error when a file is given twice, under one name or
// two: its events would be in the result twice.
func RefuseRepeated(files []string) error {
	names := map[string]bool{}
	type mark struct{ size, modified int64 }
	marks := map[mark][]int{} // positions of files that can be the same one
	infos := make([]fs.FileInfo, len(files))
	for i, name := range files {
		if names[name] {
			return fmt.Errorf("%s is given twice", name)
		}
		names[name] = true
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() { // opening it reports the error
			continue
		}
		infos[i] = info
		key := mark{info.Size(), info.ModTime().UnixNano()}
		for _, j := range marks[key] {
			if os.SameFile(info, infos[j]) {
				return fmt.Errorf("%s and %s are the same file", files[j], name)
			}
		}
		marks[key] = append(marks[key], i)
	}
	return nil
}
