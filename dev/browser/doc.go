// Package browser tests the viewer's page in Chromium. It has tests only: those of
// package view's specification have a number. "make viewers" runs them.
//
// Without Chromium the tests are skipped.
package browser
