// Package web holds what Parley serves to browsers, built by npm into dist and embedded in the binary.
package web

import (
	"embed"
	"io/fs"
)

// The folder holds only .gitkeep until `make build` (or `npm ci && npm run build` here) has filled it, so that a plain
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
func Docs() fs.FS {
	docs, err := fs.Sub(dist, "dist/docs")
	if err != nil {
		panic("web: " + err.Error()) // only for an invalid path, and this one is constant
	}
	return docs
}
