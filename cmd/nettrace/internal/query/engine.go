package query

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"sync"

	"modernc.org/libc"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// Limits of SQLite. A statement of a stranger cannot use more.
const (
	maxValue = 16 << 20  // bytes of a text or a row
	maxHeap  = 128 << 20 // bytes of memory
)

// engine is a database in memory with the tables of traces.
type engine struct {
	source *source
	db     *sql.DB
	conn   *sql.Conn
}

// connector opens connections of one driver.
type connector struct{ driver *sqlite.Driver }

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(":memory:") }

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver { return c.driver }

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

// newEngine returns a database with the tables and the views, and with the tables of
// events that the tokens of a query name.
func newEngine(ctx context.Context, s *source, used []token) (*engine, error) {
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
	if err := e.prepare(ctx, used); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// prepare makes the tables and the views, and then sets the limits. Sorts stay in memory,
// where the limit of the heap applies.
func (e *engine) prepare(ctx context.Context, used []token) error {
	for _, name := range e.names(ctx, used) {
		if _, err := e.conn.ExecContext(ctx, "CREATE VIRTUAL TABLE "+quoteName(name)+" USING trace"); err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
	}
	for _, v := range views {
		if _, err := e.conn.ExecContext(ctx, "CREATE VIEW "+v.name+" AS "+v.sql); err != nil {
			return fmt.Errorf("view %s: %w", v.name, err)
		}
	}
	for _, pragma := range []string{"PRAGMA temp_store = MEMORY", fmt.Sprintf("PRAGMA hard_heap_limit = %d", maxHeap)} {
		if _, err := e.conn.ExecContext(ctx, pragma); err != nil {
			return err
		}
	}
	for id, limit := range map[int]int{lib.SQLITE_LIMIT_ATTACHED: 0, lib.SQLITE_LIMIT_LENGTH: maxValue} {
		if _, err := sqlite.Limit(e.conn, id, limit); err != nil {
			return err
		}
	}
	return nil
}

// names returns the names of the tables: those of every trace, and those of events that a
// query names. The caller checks the context.
func (e *engine) names(ctx context.Context, used []token) []string {
	var list []string
	add := func(name string) {
		if e.source.tables[lower(name)] != nil {
			return
		}
		if t := e.source.find(name); t != nil {
			list = append(list, t.name)
		}
	}
	for _, t := range fixedTables() {
		add(t.Name)
	}
	for _, t := range used {
		if ctx.Err() != nil {
			return nil
		}
		if (t.kind == word || t.kind == quotedName) && !startsWithDigit(t.text) {
			add(t.text)
		}
	}
	return list
}

// startsWithDigit reports whether a text is a number, or a name that no table has.
func startsWithDigit(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }

// close closes the database.
func (e *engine) close() {
	if e.conn != nil {
		e.conn.Close()
	}
	e.db.Close()
}
