// Package viewers holds what nettrace convert writes against the programs that
// people open it with: go tool pprof, and speedscope in a browser. It has tests
// only. "make viewers" fetches what they need where that can be had: speedscope
// from npm, Chromium from Debian.
//
// What a test lacks it says as it is skipped; with NETTRACE_VIEWERS set, as by
// make viewers in CI, that fails.
package viewers
