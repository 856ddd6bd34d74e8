// Package web holds what Parley serves to browsers, built by npm into dist and embedded in the binary.
package web

import (
	"embed"
	"io/fs"
)

// The folder holds only .gitkeep until `make build` has filled it, so that a plain
// `go build` works in a fresh checkout; the pages are then absent.
//
//go:embed all:dist
var dist embed.FS

// Docs holds the API's documentation pages: swagger.html for /docs, redoc.html for /redoc, and the scripts and styles
// that both load from docs/<name>, relative to the page. Opening a file answers fs.ErrNotExist in a binary that was
// built without them.
//
// The pages need this content security policy and no more:
//
//	default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; font-src 'self' data:; worker-src 'self' blob:
func Docs() fs.FS { return folder("dist/docs") }

// Dashboard holds the dashboard: index.html, which is its every page, and what that loads from assets/<name>, whose names
// change with their content. Opening a file answers fs.ErrNotExist in a binary that was built without it.
func Dashboard() fs.FS { return folder("dist/dashboard") }

// Widget holds the scripts of <parley-agent>: parley-agent-<hash>.js, which a page of any origin loads, and what that loads from beside it.
// It is empty in a binary that was built without them.
func Widget() fs.FS { return folder("dist/widget") }

// TransferPage holds the page of a person to whom a caller is transferred: index.html, and what that loads from /transfer-page/<name>,
// whose names change with their content. Opening a file answers fs.ErrNotExist in a binary that was built without it.
func TransferPage() fs.FS { return folder("dist/transfer") }

func folder(name string) fs.FS {
	found, err := fs.Sub(dist, name)
	if err != nil {
		panic("web: " + err.Error()) // only for an invalid path, and these are constant
	}
	return found
}
