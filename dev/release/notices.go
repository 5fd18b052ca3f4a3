package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// noticesFile is the file with the licences of others, in the root of the repository.
const noticesFile = "THIRD_PARTY_NOTICES"

// notice is the text of a licence with the software that it is for.
type notice struct {
	text  string
	names []string
}

// writeNotices writes noticesFile.
func writeNotices(o *options, out io.Writer) error {
	text, err := noticesText(o.repo)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d bytes\n", noticesFile, len(text))
	return os.WriteFile(filepath.Join(o.repo, noticesFile), []byte(text), 0o644)
}

// checkNotices returns an error if noticesFile is not what writeNotices would write.
func checkNotices(repo string) error {
	want, err := noticesText(repo)
	if err != nil {
		return err
	}
	got, err := os.ReadFile(filepath.Join(repo, noticesFile))
	if err == nil && string(got) != want {
		err = fmt.Errorf("%s is not that of the linked modules: run make notices", noticesFile)
	}
	return err
}

// noticesText returns the licences of the linked modules, of the Go standard library, of
// the npm packages in the page of view, and of the certificates in the container image.
func noticesText(repo string) (string, error) {
	modules, err := linked(repo)
	if err != nil {
		return "", err
	}
	standard, err := standardLibrary()
	if err != nil {
		return "", err
	}
	packages, err := bundled(repo)
	if err != nil {
		return "", err
	}
	roots, err := certificates(repo)
	if err != nil {
		return "", err
	}
	var all []notice
	for _, m := range slices.Concat([]dependency{standard}, modules, packages, roots) {
		if all, err = m.addTo(all); err != nil {
			return "", err
		}
	}
	return format(all), nil
}

// standardLibrary returns the Go standard library, whose version changes nothing here.
func standardLibrary() (dependency, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	dir := strings.TrimSpace(string(out))
	return dependency{name: "Go standard library", root: dir, folders: []string{dir}}, err
}

// bundled returns the npm packages that the page of view contains.
func bundled(repo string) ([]dependency, error) {
	files, err := filepath.Glob(filepath.Join(repo, "view", "page", "npm", "*", "package.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("view/page/npm has no packages")
	}
	var all []dependency
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var description struct{ Name, Version string }
		if err := json.Unmarshal(data, &description); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		dir := filepath.Dir(file)
		all = append(all, dependency{name: "npm " + description.Name + " " + description.Version, root: dir, folders: []string{dir}})
	}
	return all, nil
}

// certificatesSource is the address of the file that x509roots/fallback converts. Its
// licence, the Mozilla Public License, demands that whoever gets the certificates can get
// this file.
const certificatesSource = "https://hg.mozilla.org/projects/nss/raw-file/tip/lib/ckfw/builtins/certdata.txt"

// certificates returns what the CA certificates in the container image are made of: the
// list of Mozilla, and the package of Go with its certificates.
func certificates(repo string) ([]dependency, error) {
	dev := filepath.Join(repo, "dev")
	all, err := listPackages(dev, []string{"GOWORK=off"}, "golang.org/x/crypto/x509roots/fallback/bundle")
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].name += " (in the container image only)"
	}
	mozilla := filepath.Join(dev, "image", "mozilla")
	return append(all, dependency{
		name: "CA certificates of Mozilla (in the container image only), made of\n" + certificatesSource,
		root: mozilla, folders: []string{mozilla},
	}), nil
}

// licenceFile matches the names of files with a licence.
var licenceFile = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|notice|patents)([.-].*)?$`)

// addTo adds the texts of the licences in the folders of a module to a list. It is an
// error if there is none.
func (m *dependency) addTo(all []notice) ([]notice, error) {
	texts := 0
	for _, dir := range m.licenceFolders() {
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
			all = addNotice(all, m.name, string(data))
			texts++
		}
	}
	if texts == 0 {
		return nil, fmt.Errorf("%s has no file with a licence", m.name)
	}
	return all, nil
}

// licenceFolders returns the folders of a module's packages and those above them.
func (m *dependency) licenceFolders() []string {
	var dirs []string
	for _, dir := range m.folders {
		for strings.HasPrefix(dir, m.root) {
			dirs = append(dirs, dir)
			dir = filepath.Dir(dir)
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// addNotice adds a name to the notice with a text.
func addNotice(all []notice, name, text string) []notice {
	text = strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := range all {
		if all[i].text == text {
			all[i].names = append(all[i].names, name)
			return all
		}
	}
	return append(all, notice{text: text, names: []string{name}})
}

// format returns the text of noticesFile.
func format(all []notice) string {
	var s strings.Builder
	s.WriteString("The program nettrace and its container image contain the software of others that\n" +
		"is listed here, each list before its licence. \"make notices\" writes this file.\n")
	for _, n := range all {
		s.WriteString("\n" + strings.Repeat("=", 80) + "\n")
		for _, name := range n.names {
			s.WriteString(name + "\n")
		}
		s.WriteString(strings.Repeat("-", 80) + "\n" + n.text + "\n")
	}
	return s.String()
}
