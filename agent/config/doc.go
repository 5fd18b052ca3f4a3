// Package config reads the configuration file of nettrace agent, in YAML.
//
//	processes:
//	  - name: shop
//	  - command_line: --port 80
//	    env: {ASPNETCORE_ENVIRONMENT: Production}
//	profiles: [wall, process_cpu, memory, mutex, block, exceptions]
//	every: 10s
//	sample: 2s/10s
//	max_cpu: 5%
//	external_labels: {cluster: eu-1}
//	targets:
//	  - type: pyroscope
//	    url: http://pyroscope:4040
//	    bearer_token_file: /var/run/token
//
// The names follow the configuration of Prometheus and Grafana Alloy. An unknown
// key is an error with its line; so is a value that cannot have an effect.
// [Config] describes every key.
//
// A program can have further types of targets, with the keys of requests (url,
// headers and so on): it gives their names to [Parse], [ReadFile] or [Config.Check].
package config
