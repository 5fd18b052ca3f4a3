package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenceFile matches the names of files with a licence.
var licenceFile = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|notice|patents)([.-].*)?$`)

// licences returns the texts of the files with a licence in the folders of a part's
// packages and those above them. It is an error if there is none.
func (p *part) licences() ([]string, error) {
	var dirs []string
	for _, dir := range p.folders {
		for ; strings.HasPrefix(dir, p.root); dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	var texts []string
	for _, dir := range slices.Compact(dirs) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() || !licenceFile.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			texts = append(texts, strings.Trim(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n"))
		}
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s has no file with a licence", p.name)
	}
	return texts, nil
}

// format returns the file: each text once, after the names of the parts that it is for.
func format(all []part) (string, error) {
	var order []string
	names := make(map[string]string) // by text
	for _, p := range all {
		texts, err := p.licences()
		if err != nil {
			return "", err
		}
		for _, text := range texts {
			if names[text] == "" {
				order = append(order, text)
			}
			names[text] += p.name + "\n"
		}
	}
	var s strings.Builder
	s.WriteString("The program nettrace and its container image contain the software of others that\n" +
		"is listed here, each list before its licence. \"make notices\" writes this file.\n")
	for _, text := range order {
		s.WriteString("\n" + strings.Repeat("=", 80) + "\n" + names[text] + strings.Repeat("-", 80) + "\n" + text + "\n")
	}
	return s.String(), nil
}
