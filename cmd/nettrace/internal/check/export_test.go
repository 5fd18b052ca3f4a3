package check

// JUnitSuites is the report in JUnit's format.
type JUnitSuites = junitSuites

// Unreadable is the rule in SARIF's format for files that cannot be read.
const Unreadable = unreadable
