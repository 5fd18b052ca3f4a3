package program

// rootHelp is the help of the root command. It has the exit codes of all commands.
const rootHelp = `nettrace records .NET processes into NetTrace files (.nettrace, .netperf). It prints and checks
files of versions 3 to 6, and converts, slices, merges, repairs and compares them.
It decompresses files that are compressed with zstd or gzip, and reads the only trace in a zip
archive, such as a .diagsession. The FILE - is standard input.

On a terminal, lines are shortened to its width, or to COLUMNS; --wide does not shorten them.
Text is coloured unless NO_COLOR is set; --color overrides it. Files and pipes get complete lines.

Exit codes:
  0    The command succeeded.
  1    The input is malformed (its readable part was written), or nothing matches.
       check: findings at or above --fail-on. diff: a difference.
       collect: the recording is incomplete. dump, env, perfmap: the process refused.
  2    The command line is wrong, or a file cannot be opened.
       collect: also when the process cannot be reached.
  3    The format version is not supported.
       collect: the runtime does not support a requested option.
  130  Ctrl-C interrupted the command. Ctrl-C is the normal end of collect (once it
       records), counters -p, top -p, events -p, events --follow, stack --every and view.

The highest code applies to several files; for check, 2 precedes 1, and 1 precedes 3.
collect returns the exit code of the command that it starts, unless --exit-code selects its own.`

// firstSteps is what nettrace prints without arguments. Each command works without arguments.
const firstSteps = `Start with one of these commands:

    nettrace ps      lists the .NET processes of this machine that can be recorded
    nettrace view    opens a page with these processes and the traces of this folder in the browser
    nettrace help    lists all commands, to record, look, report, convert and check
`
