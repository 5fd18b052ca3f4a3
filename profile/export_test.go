package profile

// FromReaderAt is fromReader, for tests that truncate stacks.
var FromReaderAt = fromReader
