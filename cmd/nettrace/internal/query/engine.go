package query

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"regexp"
	"sync"

	"modernc.org/libc"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// Limits of SQLite. A statement of a stranger cannot use more.
const (
	maxValue = 16 << 20  // bytes of a text or a row
	heap     = 128 << 20 // bytes of memory beside the tables, and
	rowHeap  = 64        // for each row of the tables that it reads: enough to sort all of them by two numbers
)

// engine is a database in memory with the tables of traces.
type engine struct {
	source *source
	db     *sql.DB
	conn   *sql.Conn
}

// connector opens connections of one driver.
type connector struct{ driver *sqlite.Driver }

// Connect implements driver.Connector. With _dqs=0 a mistyped name in double quotes is an error:
// SQLite would read it as a text.
func (c connector) Connect(context.Context) (driver.Conn, error) {
	return c.driver.Open(":memory:?_dqs=0")
}

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver { return c.driver }

// limitHeap sets the bytes of memory that SQLite may use. Other than the PRAGMA it can also raise
// the limit.
func limitHeap(bytes int64) {
	tls := libc.NewTLS()
	defer tls.Close()
	lib.Xsqlite3_hard_heap_limit64(tls, bytes)
	lib.Xsqlite3_soft_heap_limit64(tls, bytes) // it is lowered with the other one, but not raised
}

// countMemory lets SQLite count its memory, before its first use: the limit of the heap does
// not apply without.
var countMemory = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	const size = 8 // of an argument in bytes
	args := tls.Alloc(size)
	defer tls.Free(size)
	if code := lib.Xsqlite3_config(tls, lib.SQLITE_CONFIG_MEMSTATUS, libc.VaList(args, int32(1))); code != lib.SQLITE_OK {
		return fmt.Errorf("SQLite cannot count its memory: error %d", code)
	}
	return nil
})

// newEngine returns a database with the tables that every trace has and the views.
func newEngine(ctx context.Context, s *source) (*engine, error) {
	if err := countMemory(); err != nil {
		return nil, err
	}
	d := &sqlite.Driver{}
	if err := d.RegisterModule("trace", &module{s}); err != nil {
		return nil, err
	}
	e := &engine{source: s, db: sql.OpenDB(connector{d})}
	e.db.SetMaxOpenConns(1) // the limits are those of a connection
	var err error
	if e.conn, err = e.db.Conn(ctx); err != nil {
		e.close()
		return nil, err
	}
	if err := e.prepare(ctx); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// prepare makes the tables and the views, and then sets the limits. Sorts stay in memory,
// where the limit of the heap applies.
func (e *engine) prepare(ctx context.Context) error {
	for _, t := range fixedTables() {
		if err := e.create(ctx, t.Name); err != nil {
			return err
		}
	}
	for _, v := range views {
		if _, err := e.conn.ExecContext(ctx, "CREATE VIEW "+v.name+" AS "+v.sql); err != nil {
			return fmt.Errorf("view %s: %w", v.name, err)
		}
	}
	if _, err := e.conn.ExecContext(ctx, "PRAGMA temp_store = MEMORY"); err != nil {
		return err
	}
	e.source.limitHeap(0)
	for id, limit := range map[int]int{lib.SQLITE_LIMIT_ATTACHED: 0, lib.SQLITE_LIMIT_LENGTH: maxValue} {
		if _, err := sqlite.Limit(e.conn, id, limit); err != nil {
			return err
		}
	}
	return nil
}

// create makes a table.
func (e *engine) create(ctx context.Context, name string) error {
	if _, err := e.conn.ExecContext(ctx, "CREATE VIRTUAL TABLE "+quoteName(name)+" USING trace"); err != nil {
		return fmt.Errorf("table %s: %w", name, err)
	}
	return nil
}

// missing matches the error for a table that is not made, with the name of its database.
var missing = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`no such table: (?:\w+\.)?(\w+)`) })

// query begins a query. SQLite reports the tables of events that it names, one at a time, and
// only these are made: the names of all of them need a pass through the traces.
func (e *engine) query(ctx context.Context, statement string) (*sql.Rows, error) {
	for {
		rows, err := e.conn.QueryContext(ctx, statement)
		if err == nil {
			return rows, nil
		}
		found := missing().FindStringSubmatch(err.Error())
		if found == nil || e.source.tables[lower(found[1])] != nil {
			return nil, err
		}
		t, findErr := e.source.find(found[1])
		if findErr != nil || t == nil {
			return nil, cmp.Or(findErr, err)
		}
		if err := e.create(ctx, t.name); err != nil {
			return nil, err
		}
	}
}

// close closes the database.
func (e *engine) close() {
	if e.conn != nil {
		e.conn.Close()
	}
	e.db.Close()
}
