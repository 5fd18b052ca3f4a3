package wire

import (
	"encoding/binary"
	"time"
)

// SystemTimeSize is the size of a SYSTEMTIME in bytes.
const SystemTimeSize = 16

// SystemTime reads the eight 16-bit numbers year, month, day of week, day,
// hour, minute, second and millisecond. It ignores the day of week. ok is false
// if there is no such time.
//
// Spec: "Trace block", SyncTimeUTC.
func SystemTime(b []byte) (t time.Time, ok bool) {
	if len(b) < SystemTimeSize {
		return time.Time{}, false
	}
	part := func(i int) int { return int(int16(binary.LittleEndian.Uint16(b[2*i:]))) }
	year, month, day := part(0), part(1), part(3)
	hour, minute, second, milli := part(4), part(5), part(6), part(7)
	if year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 ||
		uint(hour) > 23 || uint(minute) > 59 || uint(second) > 59 || uint(milli) > 999 {
		return time.Time{}, false
	}
	t = time.Date(year, time.Month(month), day, hour, minute, second, milli*int(time.Millisecond), time.UTC)
	return t, t.Day() == day
}

// ticks of 100 ns between 1601, where FILETIME begins, and 1970, and the last
// ones of the year 9999.
const (
	unixInFileTime = 116444736000000000
	lastFileTime   = 0x24C85A5ED1C03FFF
)

// FileTime converts a FILETIME, ticks of 100 ns since 1601. ok is false after
// the year 9999.
func FileTime(ticks uint64) (t time.Time, ok bool) {
	if ticks > lastFileTime {
		return time.Time{}, false
	}
	since := int64(ticks) - unixInFileTime
	return time.Unix(since/1e7, since%1e7*100).UTC(), true
}

// FileTimeOf returns the ticks of a moment, without a part of 100 ns: the inverse of
// FileTime. ok is false before 1601 and after 9999.
func FileTimeOf(t time.Time) (ticks uint64, ok bool) {
	const second = 10_000_000 // ticks
	since := t.Unix() + unixInFileTime/second
	if since < 0 || since > lastFileTime/second {
		return 0, false
	}
	return uint64(since)*second + uint64(t.Nanosecond())/100, true
}
