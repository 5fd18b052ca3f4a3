package input

import (
	"fmt"
	"io/fs"
	"os"
)

// RefuseRepeated returns an error when a file is given twice, under one name or
// two: its events would be in the result twice.
func RefuseRepeated(files []string) error {
	infos := make([]fs.FileInfo, len(files))
	for i, name := range files {
		infos[i], _ = os.Stat(name) // opening it reports the error
		for j, other := range files[:i] {
			if other == name {
				return fmt.Errorf("%s is given twice", name)
			}
			if infos[i] != nil && infos[j] != nil && infos[i].Mode().IsRegular() && os.SameFile(infos[i], infos[j]) {
				return fmt.Errorf("%s and %s are the same file", other, name)
			}
		}
	}
	return nil
}
