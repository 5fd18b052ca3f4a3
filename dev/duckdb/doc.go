// Package duckdb compares the command query with DuckDB, which reads the Parquet files
// that nettrace convert writes. DuckDB needs a C++
// compiler and 130 MB: "make duckdb" runs it.
package duckdb
