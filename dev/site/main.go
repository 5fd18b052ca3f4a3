// Command site writes the documentation as HTML pages: one for each Markdown file of
// the folder docs. README.md becomes index.html.
//
//	go run ./site -o FOLDER
package main

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// repository is where links to files outside of docs lead.
const repository = "https://github.com/nettrace-go/nettrace/blob/main/"

//go:embed page.html
var layout string

var pageTemplate = template.Must(template.New("page").Parse(layout))

func main() {
	docs := flag.String("docs", ".", "the `FOLDER` of the Markdown files")
	out := flag.String("o", "", "write the pages into this `FOLDER`")
	flag.Parse()
	if *out == "" || flag.NArg() != 0 {
		flag.Usage()
		os.Exit(2)
	}
	n, err := write(*docs, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Println(n, "pages in", *out)
}

// write writes a page for each Markdown file and copies the pictures. It returns the
// number of pages.
func write(docs, out string) (int, error) {
	files, err := filepath.Glob(filepath.Join(docs, "*.md"))
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(filepath.Join(out, "pictures"), 0o777); err != nil {
		return 0, err
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		html, err := page(source)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
		if err := os.WriteFile(filepath.Join(out, address(filepath.Base(file))), html, 0o666); err != nil {
			return 0, err
		}
	}
	return len(files), copyPictures(filepath.Join(docs, "pictures"), filepath.Join(out, "pictures"))
}

// markdown parses and renders pages: Markdown as GitHub has it.
func markdown() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Linkify), goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(names{}, 100))))
}

// parse parses a Markdown file. Its headings have names.
func parse(source []byte) ast.Node {
	ids := parser.NewContext(parser.WithIDs(&headings{used: map[string]bool{}}))
	return markdown().Parser().Parse(text.NewReader(source), parser.WithContext(ids))
}

// page returns the HTML of a Markdown file.
func page(source []byte) ([]byte, error) {
	root := parse(source)
	visit(root, func(n ast.Node) {
		if link := destination(n); link != nil {
			*link = []byte(target(string(*link)))
		}
	})
	var body bytes.Buffer
	if err := markdown().Renderer().Render(&body, source, root); err != nil {
		return nil, err
	}
	var html bytes.Buffer
	err := pageTemplate.Execute(&html, struct {
		Title string
		Body  template.HTML
	}{title(root, source), template.HTML(body.String())})
	return html.Bytes(), err
}

// visit calls f with each node.
func visit(root ast.Node, f func(ast.Node)) {
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			f(n)
		}
		return ast.WalkContinue, nil
	})
}

// destination returns the target of a link or picture, nil for other nodes.
func destination(n ast.Node) *[]byte {
	switch n := n.(type) {
	case *ast.Link:
		return &n.Destination
	case *ast.Image:
		return &n.Destination
	}
	return nil
}

// title returns the text of the first heading.
func title(root ast.Node, source []byte) string {
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindHeading {
			return plain(n, source)
		}
	}
	return ""
}

// plain returns the text of a node without its form.
func plain(node ast.Node, source []byte) string {
	var b strings.Builder
	visit(node, func(n ast.Node) {
		if t, ok := n.(*ast.Text); ok {
			b.Write(t.Value(source))
		}
	})
	return b.String()
}

// names gives each heading the name that it has on GitHub.
type names struct{}

func (names) Transform(root *ast.Document, reader text.Reader, pc parser.Context) {
	visit(root, func(n ast.Node) {
		if n.Kind() == ast.KindHeading {
			n.SetAttributeString("id", pc.IDs().Generate([]byte(plain(n, reader.Source())), n.Kind()))
		}
	})
}

// target returns the address on the site for a link of a page in docs.
func target(link string) string {
	file, anchor, _ := strings.Cut(link, "#")
	if anchor != "" {
		anchor = "#" + anchor
	}
	switch {
	case file == "", strings.Contains(file, "://"), strings.HasPrefix(file, "mailto:"):
		return link
	case strings.HasPrefix(file, "pictures/"):
		return link
	case path.Ext(file) == ".md" && !strings.Contains(file, "/"):
		return address(file) + anchor
	}
	return repository + path.Join("docs", file) + anchor
}

// address returns the name of the page of a Markdown file.
func address(file string) string {
	if file == "README.md" {
		return "index.html"
	}
	return strings.TrimSuffix(file, ".md") + ".html"
}

// copyPictures copies the files of a folder.
func copyPictures(from, to string) error {
	files, err := filepath.Glob(filepath.Join(from, "*"))
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, filepath.Base(file)), data, 0o666)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
