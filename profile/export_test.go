package profile

// FromReaderAt is fromReader, for tests that truncate stacks.
var FromReaderAt = fromReader

// Cover is cover, for its comparison with a simple algorithm.
var Cover = cover
