package query

import (
	"strings"

	"github.com/nettrace-go/nettrace/columns"
)

// view is a view of SQL. It groups by numbers and names what it has grouped.
type view struct{ name, about, sql string }

// views are the views of every query.
var views = []view{
	{"events_by_type", "number of events by type", `
SELECT t.provider, t.event_id, t.name, t.version, count(*) AS events FROM event_types AS t JOIN events AS e ON e.type_id = t.id GROUP BY t.id`},
	{"samples_by_function", "samples by type, state and innermost function", `
SELECT g.type, g.state, f.id AS function_id, f.name, f.module, sum(g.samples) AS samples, sum(g.value) AS value, g.unit
FROM (SELECT type, state, unit, stack_id, count(*) AS samples, sum(value) AS value FROM samples GROUP BY type, state, unit, stack_id) AS g
LEFT JOIN stacks AS s ON s.id = g.stack_id LEFT JOIN functions AS f ON f.id = s.function_id
GROUP BY g.type, g.state, g.unit, f.id, f.name, f.module`},
}

// ready is a query that is ready to be used by its name. It has no rows for a trace without
// what it needs, "" for nothing: then an answer without rows is normal.
type ready struct{ name, about, needs, sql string }

// readyQueries are the ready queries. Threads of different files are different, also if
// they have the same id. DuckDB answers the queries without file_id too, over the Parquet
// files.
var readyQueries = []ready{
	{"events-by-type", "number of events by type", "events", `
SELECT provider, name, sum(events) AS events FROM events_by_type GROUP BY provider, event_id, name ORDER BY events DESC, provider, name`},
	{"events-per-second", "number of events in each second since the sync time", "events", `
SELECT (at_ns - at_ns % 1000000000) / 1000000000 AS second, count(*) AS events, count(DISTINCT thread_id) AS threads FROM events GROUP BY second ORDER BY second`},
	{"threads", "samples and their time by thread", "samples of type wall", `
SELECT t.process_id, t.thread_id, t.name, g.samples, g.running_ns, g.ns FROM
(SELECT file_id, process_id, thread_id, count(*) AS samples, sum(value) AS ns, sum(value) FILTER (WHERE state = 'running') AS running_ns
FROM samples WHERE type = 'wall' GROUP BY file_id, process_id, thread_id) AS g
JOIN threads AS t ON t.file_id = g.file_id AND t.thread_id = g.thread_id AND t.process_id IS NOT DISTINCT FROM g.process_id ORDER BY g.ns DESC, t.thread_id`},
	{"top-self", "wall time of running and native threads by innermost function", "samples of running or native threads", `
SELECT name, module, sum(samples) AS samples, sum(value) AS self_ns FROM samples_by_function
WHERE type = 'wall' AND state IN ('running', 'native') GROUP BY name, module ORDER BY self_ns DESC, name, module`},
	{"top-total", "the same by every function on the stacks, each counted once for a stack", "samples of running or native threads", `
WITH RECURSIVE first AS MATERIALIZED (SELECT id, min(id) OVER (PARTITION BY name, module) AS function_id FROM functions),
sums AS MATERIALIZED
(SELECT stack_id, sum(value) AS ns FROM samples WHERE type = 'wall' AND state IN ('running', 'native') AND stack_id IS NOT NULL GROUP BY stack_id),
up(stack_id, node, ns) AS (SELECT stack_id, stack_id, ns FROM sums UNION ALL SELECT up.stack_id, s.parent_id, up.ns FROM up JOIN stacks AS s ON s.id = up.node WHERE s.parent_id IS NOT NULL),
met AS (SELECT DISTINCT up.stack_id, first.function_id, up.ns FROM up JOIN stacks AS s ON s.id = up.node JOIN first ON first.id = s.function_id)
SELECT f.name, f.module, g.total_ns FROM (SELECT function_id, sum(ns) AS total_ns FROM met GROUP BY function_id) AS g
JOIN functions AS f ON f.id = g.function_id ORDER BY g.total_ns DESC, f.name, f.module`},
	{"states", "wall time by state of the threads", "samples of type wall", `
SELECT state, count(*) AS samples, sum(value) AS ns FROM samples WHERE type = 'wall' GROUP BY state ORDER BY ns DESC, state`},
	{"allocations", "allocated bytes by type of the objects", "samples of type alloc-size", `
SELECT class, count(*) AS samples, sum(count) AS objects, sum(value) AS bytes FROM samples WHERE type = 'alloc-size' GROUP BY class ORDER BY bytes DESC, class`},
	{"gc", "garbage collections", "garbage collections", `
SELECT number, generation, type, reason, at_ns, pause_ns, duration_ns, heap_before_bytes, heap_after_bytes, promoted_bytes FROM gc ORDER BY at_ns`},
	{"gc-by-generation", "garbage collections and their pauses by generation", "garbage collections", `
SELECT generation, count(*) AS collections, sum(pause_ns) AS pause_ns, max(pause_ns) AS max_pause_ns FROM gc WHERE number IS NOT NULL GROUP BY generation ORDER BY generation`},
	{"locks", "time waiting for locks by the innermost function", "waits for locks", `
SELECT f.name, count(*) AS waits, sum(l.duration_ns) AS ns, max(l.duration_ns) AS max_ns FROM locks AS l
LEFT JOIN stacks AS s ON s.id = l.stack_id LEFT JOIN functions AS f ON f.id = s.function_id GROUP BY s.function_id, f.name ORDER BY ns DESC, f.name`},
	{"waits", "time waiting for wait handles and on monitors by thread", "waits", `
SELECT process_id, thread_id, count(*) AS waits, sum(duration_ns) AS ns, max(duration_ns) AS max_ns FROM waits GROUP BY file_id, process_id, thread_id ORDER BY ns DESC, thread_id`},
	{"exceptions", "exceptions thrown by type", "exceptions", `
SELECT type, count(*) AS throws, min(at_ns) AS first_ns, max(at_ns) AS last_ns FROM exceptions GROUP BY type ORDER BY throws DESC, type`},
	{"slow-requests", "HTTP requests, the slowest ones first", "HTTP requests", `
SELECT direction, method, origin, path, status, state, at_ns, duration_ns FROM requests ORDER BY duration_ns DESC, at_ns LIMIT 100`},
	{"counters", "number, mean, lowest and highest value of each counter", "counters", `
SELECT provider, name, tags, unit, count(*) AS "values", avg(value) AS mean, min(value) AS min, max(value) AS max FROM counters
GROUP BY provider, name, tags, unit ORDER BY provider, name, tags`},
	{"lost", "lost events by thread", "", `
SELECT process_id, thread_id, sum(events) AS events, count(*) AS gaps, min(at_ns) AS first_ns FROM lost GROUP BY file_id, process_id, thread_id ORDER BY events DESC, thread_id`},
}

// findReady returns the ready query with a name, or nil.
func findReady(name string) *ready {
	for i := range readyQueries {
		if readyQueries[i].name == name {
			return &readyQueries[i]
		}
	}
	return nil
}

// fixedTables returns the tables that every trace has.
func fixedTables() []*columns.Table { return columns.Tables() }

func lower(name string) string { return strings.ToLower(name) }
