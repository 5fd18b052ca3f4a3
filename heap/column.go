package heap

// column is a list that grows without copies: in chunks of equal length.
type column[T any] struct {
	chunks [][]T
	len    int
}

const (
	chunkBits = 14
	chunkLen  = 1 << chunkBits
)

func (c *column[T]) append(v T) {
	if c.len>>chunkBits == len(c.chunks) {
		c.chunks = append(c.chunks, make([]T, 0, chunkLen))
	}
	last := &c.chunks[len(c.chunks)-1]
	*last = append(*last, v)
	c.len++
}

func (c *column[T]) at(i int) T { return c.chunks[i>>chunkBits][i&(chunkLen-1)] }

// release frees the chunk that ends before i.
func (c *column[T]) release(i int) {
	if i&(chunkLen-1) == 0 {
		c.chunks[i>>chunkBits-1] = nil
	}
}
