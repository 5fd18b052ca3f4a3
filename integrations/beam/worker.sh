#!/bin/sh
# Starts a worker as prism asks for it: --id='ID' --provision_endpoint=ADDRESS, with the
# quotes. The environment of prism has the path of nettrace-beam.
for arg in "$@"; do
  case $arg in
  --id=*) id=$(printf %s "${arg#--id=}" | tr -d "'") ;;
  --provision_endpoint=*) endpoint=${arg#--provision_endpoint=} ;;
  esac
done
exec "${NETTRACE_BEAM:?the path of nettrace-beam}" --worker=true --id="$id" --logging_endpoint="$endpoint" --control_endpoint="$endpoint"
