// This module has no packages: it keeps the pages and their pictures out of the module above.
module github.com/nettrace-go/nettrace/docs

go 1.25.0
