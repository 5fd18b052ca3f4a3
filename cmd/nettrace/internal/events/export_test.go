package events

// LargeFile is the size in bytes above which --from and --to read parts of a file.
const LargeFile = largeFile
