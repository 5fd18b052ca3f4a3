// Package viewers tests the output of nettrace convert with the programs that
// users open it with: go tool pprof, and speedscope and Chrome DevTools in a
// browser. It has tests only. "make viewers" downloads what they need: speedscope
// from npm, Chromium from Debian. The test of DevTools also needs Node.js 20 or
// later. They belong to make check.
package viewers
