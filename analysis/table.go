package analysis

import (
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/model"
)

// Table declares the rows of a part, once for all outputs: the tables of text and Markdown, those of
// query, and those of the page come from it. R is the type of the rows, whose tags have the keys of JSON.
// A list of keys has blanks between them, and says what an output has, in which order.
type Table[R any] struct {
	Fields  []Field[R] // in the order of JSON
	Text    string     // keys of the columns of the table of text
	Query   string     // keys of the columns of the table of query, after time, at_ns and process_id
	Page    string     // keys of the columns of the page's table, the most important first
	Samples string     // value of --type of the samples that the rows add up, "" for none
	Longest *Longest   // the row that users look for first, nil for none
}

// Longest describes the row with the longest time.
type Longest struct {
	Key  string   `json:"key"`  // of the time
	Name string   `json:"name"` // what the row is: "Slowest request"
	Why  []string `json:"why"`  // keys that say why it is long
}

// Field declares a value of a row.
type Field[R any] struct {
	Key    string // of JSON, with the unit at its end: "pauseNs"
	Doc    string // what the value is
	SQL    string // name in query, "" for that of the key with _ between words
	Head   string // of its column in a table of text
	Form   Form   // of its text there
	Wide   bool   // a narrow terminal has no such column
	Seldom bool   // a table of text in which no row has the value has no such column
	Blank  bool   // in text, none is blank: it is not a dash
	Empty  bool   // in query, an empty text is a value: it is not null
	// Of returns the value: a Number, int64, float64, string or bool. It is nil for a value of another
	// type, which only JSON has.
	Of func(*R) any
	// Show returns what the table of text has instead of the value: of these types, a Counted or a Site.
	Show func(*R) any
}

// Form is how a table of text shows a value.
type Form uint8

// Forms.
const (
	Plain   Form = iota // a number in decimal; a text as it is, which keeps its width
	Grouped             // a number with groups of digits
	Million             // a number of nanoseconds or bytes in a unit a million times larger: ms, MB
	Seconds             // a time since the sync time in s, to the µs
	Instant             // the same to the ms
	Cut                 // a text that a narrow terminal has shortened in the middle
	Method              // the name of a method, shortened in the parameters first
)

// Counted is a number, and how many of them are open at the end.
type Counted struct {
	Count int64 // all
	Open  int64 // of them, without an end
}

// Site is a method, and its place if that is known: "Cart.Total(int)  cart.cs:42". Without a name of the
// method text has the innermost frame of the stack.
type Site struct {
	Method string      // name
	Stack  []string    // innermost frame first
	Place  model.Place // in the method
}

// Select returns the fields with some keys, in their order. A key that is not declared panics.
func (t *Table[R]) Select(keys string) []Field[R] {
	var list []Field[R]
	for _, key := range strings.Fields(keys) {
		i := slices.IndexFunc(t.Fields, func(f Field[R]) bool { return f.Key == key })
		if i < 0 {
			panic("analysis: no field " + key)
		}
		list = append(list, t.Fields[i])
	}
	return list
}

// Listing is what the page needs of a Table.
type Listing struct {
	Columns []ListingColumn `json:"columns"`           // of the page's table
	Samples string          `json:"samples,omitempty"` // as in Table
	Longest *Longest        `json:"longest,omitempty"` // as in Table
}

// ListingColumn is a column of a Listing.
type ListingColumn struct {
	Key    string `json:"key"`              // as in Field
	Doc    string `json:"doc"`              // what the value is
	Method bool   `json:"method,omitempty"` // it names a method
}

// Listing returns what the page needs.
func (t *Table[R]) Listing() *Listing {
	l := &Listing{Samples: t.Samples, Longest: t.Longest}
	for _, f := range t.Select(t.Page) {
		l.Columns = append(l.Columns, ListingColumn{f.Key, f.Doc, f.Form == Method})
	}
	return l
}
