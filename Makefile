# What can be made here: make help. It works on a fresh Debian or Ubuntu machine with Go and Node.

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
commit = $(shell commit=$$(git rev-parse HEAD 2>/dev/null) && { git diff-index --quiet HEAD && echo $$commit || echo $$commit-dirty; })
stamp = -X main.version=$(version) -X main.commit=$(commit)
go_build = go build -buildvcs=false -ldflags '$(stamp)'

golangci_lint := bin/tools/golangci-lint-v2.15.0
pages := web/dist/docs/swagger.html web/dist/dashboard/index.html web/dist/widget/licences.md web/dist/transfer/index.html
page_modules := web/node_modules/.package-lock.json web/dashboard/node_modules/.package-lock.json web/widget/node_modules/.package-lock.json web/transfer/node_modules/.package-lock.json
# The API's description, and what the dashboard has of it.
description := web/dashboard/build/openapi.json
generated := web/dashboard/src/generated/schema.d.ts
# Redocly's linter, which reads the API's description in the tests of e2e/contract.
redocly := e2e/contract/linter
sdks := e2e/sdk
# Deno and workerd, which the client of TypeScript is tested in.
runtimes := e2e/contract/runtimes
mcp_clients := e2e/mcp
# The clients that are generated from the description, and what of them.
typescript := clients/typescript
python := clients/python
typescript_generated := $(typescript)/src/generated/description.ts
python_generated := $(python)/src/parley/types.py

# The binary that tests drive from outside.
export PARLEY_BIN := $(CURDIR)/bin/parley

.PHONY: help run dev build check test lint bench chaos fuzz dist test-dist test-deploy clean prepare prepare-test binary modules packages packages-test dashboard-check clients clients-check always

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## install what is missing, build, start the server with a demo tenant
	exec bin/parley serve

dev: prepare ## the same, and build and start again whenever a source file changes
	go run ./tools/dev

build: prepare ## install what is missing, build bin/parley
	@$(MAKE) --no-print-directory binary

check: build $(golangci_lint) ## lint, and the tests that need neither services nor real time
	@$(MAKE) --no-print-directory dashboard-check
	go run ./tools/test -short -lint $(golangci_lint)

test: prepare-test $(golangci_lint) ## lint and all tests
	@$(MAKE) --no-print-directory binary
	@$(MAKE) --no-print-directory dashboard-check clients-check
	go run ./tools/test -lint $(golangci_lint)

lint: build $(golangci_lint) ## golangci-lint, formatting included
	$(golangci_lint) run ./...

bench: prepare-test ## measure this machine, see docs/performance.md
	@$(MAKE) --no-print-directory binary
	go run ./e2e/bench -parley bin/parley
	go test ./internal/call ./internal/analytics -run '^$$' -bench 'List|Answers' -timeout 60m
	go test ./internal/webhook -run '^$$' -bench . -benchtime 1x -timeout 60m
	go test ./internal/provider/offline -run '^$$' -bench . -benchtime 1x -timeout 60m

chaos: prepare-test ## kill, stop and attack the server and what it runs on, under load, at full size
	@$(MAKE) --no-print-directory binary
	PARLEY_SIMULATED_FAULTS=10000 go test -count=1 -run TestSimulatedFaults ./internal/voice
	PARLEY_CHAOS=full PARLEY_ATTACK=full go test -v -p 1 -count=1 -timeout 60m ./e2e/chaos ./e2e/attack

fuzz: prepare-test ## N=100000 requests made from the API's description on each database, with SEED=1, and 100000 changed SIP messages
	@$(MAKE) --no-print-directory binary
	PARLEY_FUZZ_REQUESTS=$(or $(N),100000) PARLEY_FUZZ_SEED=$(or $(SEED),1) \
		go test -v -count=1 -timeout 60m -run '^TestGeneratedRequests$$' ./e2e/contract
	PARLEY_ATTACK=full go test -v -count=1 -timeout 60m -run '^TestChangedSIPMessages$$' ./e2e/attack

dist: prepare ## what a release consists of, in dist/, for the architectures ARCHS
	@scripts/setup.sh dist
	@$(MAKE) --no-print-directory clients
	VERSION=$(version) COMMIT=$(commit) scripts/dist.sh $(or $(ARCHS),amd64 arm64)

test-dist: dist test-deploy ## the tests of releases: tarball, units, image, compose files, chart; as root

# The same with the dist/ that is there.
test-deploy:
	cd deploy/test && go vet ./... && go test -v -count=1 -timeout 90m ./...

clean: ## remove what was built; ./data stays
	rm -rf bin dist web/node_modules web/dashboard/node_modules web/widget/node_modules web/widget/dist web/transfer/node_modules $(redocly)/node_modules $(runtimes)/node_modules $(sdks)/node_modules $(mcp_clients)/node_modules
	rm -rf web/dashboard/build web/dashboard/src/generated
	rm -rf $(typescript)/node_modules $(typescript)/dist $(typescript)/src/generated
	rm -rf $(python)/build $(python_generated) $(python)/src/parley/_resources.py
	find web/dist -mindepth 1 -not -name .gitkeep -delete

# All that a build needs, at the same time where it does not depend: the pages are built from the API's description, which needs
# packages and modules.
prepare:
	@scripts/setup.sh check
	@$(MAKE) --no-print-directory -j packages modules $(page_modules)
	@$(MAKE) --no-print-directory -j $(pages)

prepare-test:
	@scripts/setup.sh check
	@$(MAKE) --no-print-directory -j packages-test modules $(page_modules) $(redocly)/node_modules/.package-lock.json $(runtimes)/node_modules/.package-lock.json $(sdks)/node_modules/.package-lock.json $(mcp_clients)/node_modules/.package-lock.json $(typescript)/node_modules/.package-lock.json examples/web-talk/dist/index.html
	@$(MAKE) --no-print-directory -j $(pages) clients

packages:
	@scripts/setup.sh run

packages-test:
	@scripts/setup.sh test

# Downloads the modules that the binary is built from, and no others.
modules:
	@go list -deps ./cmd/parley >/dev/null

# Go knows best what is up to date.
binary:
	$(go_build) -o bin/parley ./cmd/parley

# npm leaves this file when an install has succeeded.
web/node_modules/.package-lock.json: web/package.json web/package-lock.json web/.npmrc
	cd web && npm ci
	@touch $@

web/dist/docs/swagger.html: web/node_modules/.package-lock.json $(wildcard web/docs/*)
	cd web && npm run build

web/dashboard/node_modules/.package-lock.json: web/dashboard/package.json web/dashboard/package-lock.json web/dashboard/.npmrc
	cd web/dashboard && npm ci
	@touch $@

# Go knows what it is made from. It is replaced only by another, so that the pages are built again only then.
$(description): always
	@mkdir -p $(@D)
	@go run ./tools/openapi >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(generated): $(description) web/dashboard/generate.mjs web/dashboard/node_modules/.package-lock.json
	cd web/dashboard && npm run generate

web/dist/dashboard/index.html: $(generated) web/dashboard/index.html web/dashboard/vite.config.ts $(shell find web/dashboard/src web/dashboard/public -type f -not -path '*/generated/*')
	cd web/dashboard && npm run build

web/widget/node_modules/.package-lock.json: web/widget/package.json web/widget/package-lock.json web/widget/.npmrc
	cd web/widget && npm ci
	@touch $@

# The names of the scripts change with their content; this file is there after each build.
web/dist/widget/licences.md: web/widget/node_modules/.package-lock.json web/widget/vite.config.ts web/widget/tsconfig.json $(wildcard web/widget/src/*)
	cd web/widget && npm run build

web/transfer/node_modules/.package-lock.json: web/transfer/package.json web/transfer/package-lock.json web/transfer/.npmrc
	cd web/transfer && npm ci
	@touch $@

web/dist/transfer/index.html: web/transfer/node_modules/.package-lock.json web/transfer/index.html web/transfer/vite.config.ts web/transfer/tsconfig.json $(wildcard web/transfer/src/*)
	cd web/transfer && npm run build

# The example that the tests drive in a browser.
examples/web-talk/node_modules/.package-lock.json: examples/web-talk/package.json examples/web-talk/package-lock.json examples/web-talk/.npmrc
	cd examples/web-talk && npm ci
	@touch $@

examples/web-talk/dist/index.html: examples/web-talk/node_modules/.package-lock.json examples/web-talk/index.html $(wildcard examples/web-talk/src/*)
	cd examples/web-talk && npm run build

# Formatting, lint, imports, types and tests of the dashboard.
dashboard-check: $(generated)
	cd web/dashboard && npm run check

$(typescript)/node_modules/.package-lock.json: $(typescript)/package.json $(typescript)/package-lock.json $(typescript)/.npmrc
	cd $(typescript) && npm ci
	@touch $@

generator := $(wildcard tools/client/*.go tools/client/templates/*)

$(typescript_generated): $(description) $(generator) $(typescript)/generate.mjs $(typescript)/node_modules/.package-lock.json
	go run ./tools/client typescript $(@D)
	cd $(typescript) && npm run generate -- ../../$(description)

$(python_generated): $(description) $(generator)
	go run ./tools/client python $(@D)

$(typescript)/dist/index.js: $(typescript_generated) $(wildcard $(typescript)/src/*.ts) $(typescript)/tsconfig.build.json
	cd $(typescript) && npm run build

# The clients of TypeScript and Python as they are published.
clients: $(typescript)/dist/index.js $(python_generated)

# Their formatting, types and tests.
clients-check: clients
	cd $(typescript) && npm run check
	cd $(python) && mypy && PYTHONPATH=src python3 -W error -m unittest

$(golangci_lint):
	GOBIN=$(CURDIR)/bin/tools go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(patsubst bin/tools/golangci-lint-%,%,$@)
	mv bin/tools/golangci-lint $@

# The clients of vendors of speech that the emulators are tested with.
$(sdks)/node_modules/.package-lock.json: $(sdks)/package.json $(sdks)/package-lock.json $(sdks)/.npmrc
	cd $(sdks) && npm ci
	@touch $@

# The official clients that the MCP server is tested with.
$(mcp_clients)/node_modules/.package-lock.json: $(mcp_clients)/package.json $(mcp_clients)/package-lock.json $(mcp_clients)/.npmrc
	cd $(mcp_clients) && npm ci
	@touch $@

$(runtimes)/node_modules/.package-lock.json: $(runtimes)/package.json $(runtimes)/package-lock.json $(runtimes)/.npmrc
	cd $(runtimes) && npm ci
	@touch $@

$(redocly)/node_modules/.package-lock.json: $(redocly)/package.json $(redocly)/package-lock.json $(redocly)/.npmrc
	cd $(redocly) && npm ci
	@touch $@
