#!/usr/bin/env bash
# Makes .env from .env.example with new secrets. An existing .env is left as it is.
set -euo pipefail
cd "$(dirname "$0")"
[ ! -e .env ] || { echo "secrets.sh: .env exists, and stays as it is" >&2; exit 1; }
umask 077
secret() { openssl rand -hex "$1"; }
while IFS= read -r line; do
  case $line in
  LIVEKIT_API_KEY=) line+=API$(secret 6) ;;
  JWT_SECRET= | ENCRYPTION_KEY= | LIVEKIT_API_SECRET=) line+=$(secret 32) ;;
  POSTGRES_PASSWORD= | POSTGRES_SUPERUSER_PASSWORD= | GRAFANA_PASSWORD=) line+=$(secret 16) ;;
  esac
  printf '%s\n' "$line"
done <.env.example >.env
echo "secrets.sh: made .env; set the four names in it"
