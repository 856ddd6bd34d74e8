#!/usr/bin/env bash
# Makes the Go client of HEAD a module that `go get` takes: the tag client/v1.4.0, of a commit on top of HEAD that has client/ alone, with the
# repository's path in it. Branch, index and files stay as they are; nothing is pushed.
#
#   scripts/tag-client.sh github.com/owner/parley v1.4.0
set -euo pipefail

repository=$1 version=$2
readonly placeholder=git.example.com/voice/parley/client
module=$repository/client
case $version in
v0.* | v1.*) ;;
v[1-9]*.*) module+=/${version%%.*} ;;
*) echo "tag-client: $version is no version" >&2 && exit 1 ;;
esac

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir "$stage/tree"
git archive HEAD client LICENSE go.mod | tar -x -C "$stage/tree"
client=$stage/tree/client
mv "$stage/tree/LICENSE" "$client"
printf 'module %s\n\n%s\n' "$module" "$(grep '^go ' "$stage/tree/go.mod")" >"$client/go.mod"
rm "$stage/tree/go.mod" "$client"/*_test.go # which need the rest of the repository
sed -i "s#$placeholder#$module#g; /^\/\/go:generate /d" "$client"/*.go "$client/README.md"

GIT_DIR=$(git rev-parse --absolute-git-dir)
export GIT_DIR GIT_INDEX_FILE=$stage/index
(cd "$stage/tree" && git --work-tree=. add --all .)
commit=$(git commit-tree "$(git write-tree)" -p HEAD -m "Go client $version")
git tag "client/$version" "$commit"
