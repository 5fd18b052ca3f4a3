#!/bin/sh
# Starts a worker as prism asks for it: --id=ID --provision_endpoint=ADDRESS.
for arg in "$@"; do
  case $arg in
  --id=*) id=${arg#--id=} ;;
  --provision_endpoint=*) endpoint=${arg#--provision_endpoint=} ;;
  esac
done
exec "${NETTRACE_BEAM:?the path of nettrace-beam}" --worker=true --id="$id" --logging_endpoint="$endpoint" --control_endpoint="$endpoint"
