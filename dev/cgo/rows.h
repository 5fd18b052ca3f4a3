#include <stddef.h>
#include <stdint.h>

/* event is a row as the loop of Go stores it, without what only Go needs. */
typedef struct {
	uint64_t timestamp, thread, capture;
	uint32_t metadata, sequence, stack, processor, labels, payload, size;
	uint8_t start, flags;
} event;

/* state is where the decoding of a block stands. */
typedef struct {
	event prev;
	size_t pos;
} state;

/* rows_v4 decodes compressed rows of version 4 into dst, at most max, and returns
   their number. behind body[len] there are at least 96 bytes of zeros. */
size_t rows_v4(state *s, const uint8_t *body, size_t len, event *dst, size_t max);
