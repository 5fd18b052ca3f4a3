// Package browser tests the viewer's page in Chromium. It has tests only: those of
// package view's specification have a number. "make viewers" runs them.
//
// Without Chromium the tests are skipped; with NETTRACE_VIEWERS set, as by make
// viewers in CI, they fail.
package browser
