package symbols

import "sync"

// pages is a list in pages, which does not move when it grows. Its zero value is empty.
type pages[T any] struct {
	list [][]T
}

// pageLength is the number of elements of a page, except for one that is taken at once.
const pageLength = 1 << 12

// take appends n elements, next to each other, and returns them. They have any values.
func (p *pages[T]) take(n int, from *pagePool[T]) []T {
	last := len(p.list) - 1
	if last < 0 || len(p.list[last])+n > cap(p.list[last]) {
		p.list = append(p.list, from.get(n))
		last++
	}
	page := &p.list[last]
	start := len(*page)
	*page = (*page)[:start+n]
	return (*page)[start:]
}

// reset removes all elements.
func (p *pages[T]) reset(to *pagePool[T]) {
	to.put(p.list)
	clear(p.list)
	p.list = p.list[:0]
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

// pagePool has empty pages. It is safe for concurrent use. A nil one has none.
type pagePool[T any] struct {
	mu   sync.Mutex
	free [][]T
	idle int // the lowest number of free pages since the last trim
	puts int // since then
}

// putsBetweenTrims is the number of calls of put after which pages that nobody has needed since are
// released.
const putsBetweenTrims = 64

// get returns an empty page for n elements at least.
func (p *pagePool[T]) get(n int) []T {
	if p == nil || n > pageLength {
		return make([]T, 0, max(n, pageLength))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.free) - 1
	if last < 0 {
		return make([]T, 0, pageLength)
	}
	page := p.free[last]
	p.free[last], p.free = nil, p.free[:last]
	p.idle = min(p.idle, last)
	return page
}

// put adds pages, which nobody uses any more.
func (p *pagePool[T]) put(list [][]T) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.puts++; p.puts == putsBetweenTrims {
		kept := len(p.free) - p.idle
		clear(p.free[kept:])
		p.free, p.puts = p.free[:kept], 0
		p.idle = kept
	}
	for _, page := range list {
		if cap(page) == pageLength {
			p.free = append(p.free, page[:0])
		}
	}
}
