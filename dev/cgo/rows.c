//go:build cgo

#include "rows.h"

/* varint reads an integer that is longer than the inlined forms. */
static __attribute__((noinline)) uint64_t varint(const uint8_t **at)
{
	const uint8_t *p = *at;
	uint64_t v = 0;
	for (int shift = 0; shift < 70; shift += 7) {
		uint8_t c = *p++;
		v |= (uint64_t)(c & 0x7F) << shift;
		if (c < 0x80)
			break;
	}
	*at = p;
	return v;
}

#define SHORT(v, p)                                             \
	do {                                                    \
		v = p[0];                                       \
		if (__builtin_expect(v < 0x80, 1)) {            \
			p += 1;                                 \
		} else if (p[1] < 0x80) {                       \
			v = (v & 0x7F) | (uint32_t)p[1] << 7;   \
			p += 2;                                 \
		} else {                                        \
			v = varint(&p);                         \
		}                                               \
	} while (0)

#define LONG(v, p)                                                                                  \
	do {                                                                                        \
		v = p[0];                                                                           \
		if (v < 0x80) {                                                                     \
			p += 1;                                                                     \
		} else if (p[1] < 0x80) {                                                           \
			v = (v & 0x7F) | (uint64_t)p[1] << 7;                                       \
			p += 2;                                                                     \
		} else if (p[2] < 0x80) {                                                           \
			v = (v & 0x7F) | (uint64_t)(p[1] & 0x7F) << 7 | (uint64_t)p[2] << 14;       \
			p += 3;                                                                     \
		} else if (p[3] < 0x80) {                                                           \
			v = (v & 0x7F) | (uint64_t)(p[1] & 0x7F) << 7 |                             \
			    (uint64_t)(p[2] & 0x7F) << 14 | (uint64_t)p[3] << 21;                   \
			p += 4;                                                                     \
		} else {                                                                            \
			v = varint(&p);                                                             \
		}                                                                                   \
	} while (0)

size_t rows_v4(state *s, const uint8_t *body, size_t len, event *dst, size_t max)
{
	const uint8_t *p = body + s->pos, *end = body + len;
	event *prev = &s->prev;
	uint64_t ts = prev->timestamp;
	uint32_t seq = prev->sequence, size = prev->size;
	size_t n = 0;
	while (n < max && p < end) {
		event *e = &dst[n];
		uint8_t f = *p;
		uint64_t v;
		e->start = (uint8_t)(p - body);
		e->flags = f;
		p++;
		if (f & 1) {
			uint32_t id;
			SHORT(id, p);
			prev->metadata = id;
		}
		if (f & 6) {
			if (f & 2) {
				seq += (uint32_t)varint(&p) + 1;
				prev->capture = varint(&p);
				prev->processor = (uint32_t)varint(&p);
			} else if (prev->metadata) {
				seq++;
			}
			if (f & 4) {
				LONG(v, p);
				prev->thread = v;
			}
		} else if (prev->metadata) {
			seq++;
		}
		if (f & 8) {
			uint32_t id;
			SHORT(id, p);
			prev->stack = id;
		}
		LONG(v, p);
		ts += v;
		if (f & 48)
			p += 16 * (f >> 4 & 1) + 16 * (f >> 5 & 1);
		if (f & 128)
			SHORT(size, p);
		if (size > (size_t)(end - p) || p > end)
			break;
		e->timestamp = ts;
		e->thread = prev->thread;
		e->capture = prev->capture;
		e->metadata = prev->metadata;
		e->sequence = seq;
		e->stack = prev->stack;
		e->processor = prev->processor;
		e->labels = prev->labels;
		e->payload = (uint32_t)(p - body);
		e->size = size;
		n++;
		p += size;
	}
	prev->timestamp = ts;
	prev->sequence = seq;
	prev->size = size;
	s->pos = (size_t)(p - body);
	return n;
}
