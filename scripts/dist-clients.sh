#!/usr/bin/env bash
# Makes the packages of the clients and of the widget: for npm (.tgz), and for PyPI (.whl). Needs them built: make clients, and the
# modules of web/widget.
#
#   scripts/dist-clients.sh v1.4.0 [FOLDER]
#
# The wheel is made with Debian's setuptools, which scripts/setup.sh dist installs. A version that is no tag of a release,
# such as dev, makes packages of the version 0.0.0. The folder is dist, if none is given. In a workflow of GitHub the packages name the
# repository, without which npm refuses what a trusted publisher sends.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.0.0
if [[ ${1-} =~ ^v([0-9]+\.[0-9]+\.[0-9]+(-[a-z]+\.[0-9]+)?)$ ]]; then version=${BASH_REMATCH[1]}; fi

folder=${2:-dist}
repository=${GITHUB_REPOSITORY:+${GITHUB_SERVER_URL:-https://github.com}/$GITHUB_REPOSITORY}

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$folder" "$stage/python"

# pack SOURCE PATH… makes the npm package of a folder, with these files of it.
pack() {
  local source=$1 to=$stage/$1
  shift
  mkdir -p "$to"
  (cd "$source" && cp -r package.json README.md "$@" "$to")
  cp LICENSE "$to"
  (
    cd "$to"
    npm pkg set "version=$version"
    npm pkg delete scripts devDependencies
    [ -z "$repository" ] || npm pkg set repository.type=git "repository.url=git+$repository.git" "repository.directory=$source"
    npm pack --silent --ignore-scripts
  ) >/dev/null
  install -m 644 "$to"/*.tgz "$folder"
}

pack clients/typescript dist
(cd web/widget && npm run --silent package >/dev/null)
pack web/widget dist

cp -r clients/python/{pyproject.toml,README.md,src} LICENSE "$stage/python"
find "$stage/python" -name __pycache__ -prune -exec rm -r {} +
sed -i "s/^version = .*/version = \"$version\"/" "$stage/python/pyproject.toml"
[ -z "$repository" ] || printf '\n[project.urls]\nSource = "%s"\n' "$repository" >>"$stage/python/pyproject.toml"
(cd "$stage/python" && /usr/bin/python3 -c 'from setuptools import build_meta; build_meta.build_wheel(".")') >/dev/null
install -m 644 "$stage"/python/parley_client-*.whl "$folder"
