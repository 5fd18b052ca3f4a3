package columns

import (
	"strings"
	"unicode"

	"github.com/nettrace-go/nettrace/analysis"
)

// declared returns the columns of a part's rows, as the part declares them. The source of the table has
// the rows, or more of each.
func declared[R, S any](table *analysis.Table[R], row func(*S) *R) []field[S] {
	var list []field[S]
	for _, f := range table.Select(table.Query) {
		list = append(list, field[S]{columnOf(&f), func(s *S) any {
			switch v := f.Of(row(s)).(type) {
			case analysis.Number:
				return known(v)
			case string:
				if f.Empty {
					return v
				}
				return unlessEmpty(v)
			default:
				return v
			}
		}})
	}
	return list
}

// columnOf returns the column of a field. The end of its key is the unit.
func columnOf[R any](f *analysis.Field[R]) Column {
	c := Column{Name: f.SQL, Doc: f.Doc}
	if c.Name == "" {
		c.Name = sqlName(f.Key)
	}
	switch f.Of(new(R)).(type) {
	case string:
		c.Type = Text
	case bool:
		c.Type = Bool
	case float64:
		c.Type = Float
	}
	switch {
	case strings.HasSuffix(f.Key, "Ns"):
		c.Unit = "ns"
	case strings.HasSuffix(f.Key, "Bytes"):
		c.Unit = "B"
	}
	return c
}

// sqlName returns a key in lower case, with _ between its words: "heap_after_bytes".
func sqlName(key string) string {
	var b strings.Builder
	for _, c := range key {
		if unicode.IsUpper(c) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}
