// Package sound stores a tenant's sounds, which agents have callers hear who are on hold.
package sound

import (
	"regexp"
	"time"

	"github.com/uptrace/bun"
)

// Limits of a file that is uploaded.
const (
	MaxFile     = 5 << 20 // bytes
	MaxDuration = 5 * time.Minute
	MinDuration = time.Second
)

// nameForm is the form of names.
var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,99}$`)

// MediaType is the media type of stored sounds.
const MediaType = "audio/ogg; codecs=opus"

// Sound is a sound of a tenant. It never changes.
type Sound struct {
	bun.BaseModel `bun:"table:sounds,alias:s"`

	TenantID   string    `bun:"tenant_id,pk"`
	ID         string    `bun:"id,pk"`
	Name       string    `bun:"name"` // unique within the tenant
	DurationMS int64     `bun:"duration_ms"`
	SizeBytes  int64     `bun:"size_bytes"` // of the content
	CreatedAt  time.Time `bun:"created_at"`
}

// stored is a sound with its content: Ogg Opus, packets of 20 ms, mono.
type stored struct {
	bun.BaseModel `bun:"table:sounds,alias:s"`

	Sound
	Content []byte `bun:"content"`
}
