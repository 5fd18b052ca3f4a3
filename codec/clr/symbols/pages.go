package symbols

// pages is a list in pages, which does not move when it grows. Its zero value is empty.
type pages[T any] struct {
	list [][]T // by page; those from used on are empty
	used int
	size int // elements of all pages
}

// A page is as long as all before it together, within these bounds, or longer for elements that are
// next to each other.
const (
	minPage = 1 << 8
	maxPage = 1 << 14
)

// take appends n elements, next to each other, and returns them. They have any values.
func (p *pages[T]) take(n int) []T {
	if p.used == 0 || len(p.list[p.used-1])+n > cap(p.list[p.used-1]) {
		p.turn(n)
	}
	page := &p.list[p.used-1]
	from := len(*page)
	*page = (*page)[:from+n]
	p.size += n
	return (*page)[from:]
}

// turn begins a page with space for n elements.
func (p *pages[T]) turn(n int) {
	if p.used == len(p.list) {
		p.list = append(p.list, nil)
	}
	if cap(p.list[p.used]) < n {
		p.list[p.used] = make([]T, 0, max(n, min(max(p.size, minPage), maxPage)))
	}
	p.used++
}

// reset removes all elements. It keeps the pages that had some.
func (p *pages[T]) reset() {
	clear(p.list[p.used:])
	p.list = p.list[:p.used]
	for i := range p.list {
		p.list[i] = p.list[i][:0]
	}
	p.used, p.size = 0, 0
}

// cursor is a place in pages.
type cursor struct{ page, at int }

// next returns the elements that a call of take for n appended. The calls have the order of those
// of take.
func (p *pages[T]) next(c *cursor, n int) []T {
	if c.at+n > len(p.list[c.page]) {
		c.page, c.at = c.page+1, 0
	}
	c.at += n
	return p.list[c.page][c.at-n : c.at]
}
