package agent

// keys describes all keys of the configuration. Package agent/config describes them in full.
const keys = "Keys, with the defaults:\n" +
	"  processes[]            name (a pattern), command_line (a regular expression), env, container_id,\n" +
	"                         pod_uid: all that an entry has must match; service_name (the program)\n" +
	"  profiles               wall, process_cpu, memory, mutex, block, exceptions (all of them)\n" +
	"  counters               a list as that of counters --counters (EventCounters\\System.Runtime)\n" +
	"  every, sample          length of a window (10s), and the part with samples of it (2s/10s)\n" +
	"  max_cpu                share of one processor from which on the agent samples less (no bound)\n" +
	"  external_labels        labels of everything that is sent\n" +
	"  rules[]                rules of collect --write-on: each time that one becomes true is printed\n" +
	"  listen, admin          addresses of the two ports (none, 127.0.0.1:9465)\n" +
	"  tls_server_config, admin_tls_server_config\n" +
	"                         cert_file, key_file, client_ca_file of these ports (http)\n" +
	"  queue                  max_bytes for each target (4MiB), path of a folder (in memory)\n" +
	"  targets[]              type, name (the type and its number), min_backoff_period (500ms),\n" +
	"                         max_backoff_period (5m); with type files: path, max_bytes (1GiB),\n" +
	"                         max_files (no bound); with the other types: url, headers,\n" +
	"                         bearer_token_file, basic_auth (username, password, password_file),\n" +
	"                         tls_config (ca_file, server_name, insecure_skip_verify),\n" +
	"                         remote_timeout (10s)\n\n"
