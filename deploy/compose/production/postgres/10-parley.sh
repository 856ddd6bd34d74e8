#!/bin/bash
# The role and the database of Parley, at PostgreSQL's first start. Row-level security does not apply to superusers, so that it is
# none of those.
set -euo pipefail
psql --set=ON_ERROR_STOP=1 --set=password="$PARLEY_PASSWORD" --username=postgres <<'SQL'
CREATE ROLE parley LOGIN PASSWORD :'password';
CREATE DATABASE parley OWNER parley;
SQL
