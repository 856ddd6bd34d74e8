# Everything a fresh Debian or Ubuntu machine with Go and Node needs:
#
#   make run      install what is missing, build, start the server with a demo tenant
#   make build    install what is missing, build bin/parley
#   make test     the same, then all checks and tests
#   make fuzz     requests made from the API's description, N=100000 of them on each database
#   make chaos    kills and stops the server and what it runs on, under load, at full size
#   make lint     golangci-lint, in the version pinned here
#   make bench    figures of the built server on this machine
#   make clean    remove what was built; ./data stays

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := build

# Where Go's own instructions install it; sudo and cron often leave it out of PATH.
export PATH := $(PATH):/usr/local/go/bin

# libopus and the offline speech are C. No build tags: a plain `go build` or `go test` builds the same.
export CGO_ENABLED := 1

# Version of this checkout; "dev" outside git. Go's own stamp is off, for it fails where git distrusts the folder's owner.
version = $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
go_build = go build -buildvcs=false -ldflags '-X main.version=$(version)'

golangci_lint_version := v2.15.0

pages := web/dist/docs/swagger.html

# These have WebRTC peers in their own process, see scripts/test-with-peers.sh.
with_peers := ./e2e ./e2e/chaos ./internal/caller ./internal/media ./internal/sip

.PHONY: run build test fuzz chaos lint bench clean setup setup-test binary

run: build
	exec bin/parley serve

build: setup
	$(MAKE) --no-print-directory binary

test: setup-test
	$(MAKE) --no-print-directory binary
	@unformatted=$$(find . -name node_modules -prune -o -name '*.go' -print0 | xargs -0 gofmt -l); \
	if [ -n "$$unformatted" ]; then printf 'not formatted, run gofmt -w on:\n%s\n' "$$unformatted" >&2; exit 1; fi
	go vet ./...
	PARLEY_BIN=$(CURDIR)/bin/parley go test -race -count=1 -p 2 -timeout 20m $$(go list ./... | grep -vxF "$$(go list $(with_peers))")
	@PARLEY_BIN=$(CURDIR)/bin/parley scripts/test-with-peers.sh $(with_peers)
	go test -count=1 -timeout 20m ./internal/api -shared # the same suite over PostgreSQL and Redis

# N and SEED choose how many, and which.
fuzz: setup-test
	$(MAKE) --no-print-directory binary
	PARLEY_BIN=$(CURDIR)/bin/parley PARLEY_FUZZ_REQUESTS=$(or $(N),100000) PARLEY_FUZZ_SEED=$(or $(SEED),1) \
		go test -v -count=1 -timeout 60m -run '^TestGeneratedRequests$$' ./e2e/contract

chaos: setup-test
	$(MAKE) --no-print-directory binary
	PARLEY_BIN=$(CURDIR)/bin/parley PARLEY_CHAOS=full go test -v -count=1 -timeout 60m ./e2e/chaos

setup:
	@scripts/setup.sh run

setup-test:
	@scripts/setup.sh test

# Go knows best what is up to date. The copy is for the page cache: it holds what the linker wrote in huge pages, each of which
# counts as a server's memory once a byte of it is used, 50 MB in all.
binary: $(pages)
	$(go_build) -o bin/parley ./cmd/parley
	cp bin/parley bin/.parley && mv -f bin/.parley bin/parley

# npm leaves this file when an install has succeeded.
web/node_modules/.package-lock.json: web/package.json web/package-lock.json web/.npmrc
	cd web && npm ci
	@touch $@

$(pages): web/node_modules/.package-lock.json $(wildcard web/docs/*)
	cd web && npm run build

lint: bin/tools/golangci-lint-$(golangci_lint_version)
	$< run ./...

bin/tools/golangci-lint-$(golangci_lint_version):
	GOBIN=$(CURDIR)/bin/tools go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(golangci_lint_version)
	mv bin/tools/golangci-lint $@

bench: setup-test
	$(MAKE) --no-print-directory binary
	go run ./e2e/bench -parley bin/parley
	go test ./internal/call ./internal/analytics -run '^$$' -bench 'List|Answers' -timeout 60m
	go test ./internal/webhook -run '^$$' -bench . -benchtime 1x -timeout 60m
	go test ./internal/provider/offline -run '^$$' -bench . -benchtime 1x -timeout 60m

clean:
	rm -rf bin web/node_modules
	find web/dist -mindepth 1 -not -name .gitkeep -delete
