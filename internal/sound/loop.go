package sound

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"weak"

	"parley/internal/audio"
	"parley/internal/database"
	"parley/internal/fault"
)

// Library has the sounds of all tenants for calls. Calls that play the same sound share it.
type Library struct {
	db *database.DB

	mu    sync.Mutex
	loops map[string]weak.Pointer[Loop] // by the id of the sound
}

// NewLibrary returns a library.
func NewLibrary(db *database.DB) *Library {
	return &Library{db: db, loops: map[string]weak.Pointer[Loop]{}}
}

// Loop returns a tenant's sound, or not_found.
func (l *Library) Loop(ctx context.Context, tenantID, name string) (*Loop, error) {
	scope := l.db.Tenant(tenantID)
	found, err := In(scope).Get(ctx, name)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	shared := l.loops[found.ID].Value()
	l.mu.Unlock()
	if shared != nil {
		return shared, nil
	}
	content, err := readContent(ctx, scope, found.ID)
	if err != nil {
		return nil, err
	}
	loop, err := parseLoop(content)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loops[found.ID] = weak.Make(loop)
	runtime.AddCleanup(loop, l.forget, found.ID)
	return loop, nil
}

// Source gives a sound in frames of 20 ms at dialogue.SpeakRate, without end. A frame is valid until the next call.
type Source interface {
	Next() ([]int16, error)
}

// Source returns a tenant's sound, or else the bundled one of that name, or not_found.
func (l *Library) Source(ctx context.Context, tenantID, name string) (Source, error) {
	loop, err := l.Loop(ctx, tenantID, name)
	switch {
	case fault.Is(err, fault.NotFound) && bundled[name] != nil:
		return &memoryPlayer{pcm: bundled[name]()}, nil
	case err != nil:
		return nil, err
	}
	return loop.Player()
}

// forget removes a loop that no call plays, unless it has been read again.
func (l *Library) forget(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.loops[id].Value() == nil {
		delete(l.loops, id)
	}
}

// Loop is a stored sound that is played again and again. It may be shared by calls.
type Loop struct{ packets [][]byte }

// parseLoop reads a stored sound. The loop keeps its content.
func parseLoop(content []byte) (*Loop, error) {
	file, err := audio.ParseOpusFile(content, MaxDuration)
	if err == nil && len(file.Packets) == 0 {
		err = errTooShort
	}
	if err != nil {
		return nil, fmt.Errorf("read a stored sound: %w", err)
	}
	return &Loop{file.Packets}, nil
}

// Player returns a player at the loop's beginning, for one goroutine.
func (l *Loop) Player() (*Player, error) {
	decoder, err := audio.NewDecoder(rate)
	return &Player{loop: l, decoder: decoder}, err
}

// Player plays a Loop.
type Player struct {
	loop    *Loop
	decoder *audio.Decoder
	next    int
	pcm     [audio.MaxPacketFrames * frame]int16
}

// Next returns the next 20 ms at dialogue.SpeakRate, which are valid until the next call.
func (p *Player) Next() ([]int16, error) {
	n, err := p.decoder.Decode(p.loop.packets[p.next], p.pcm[:])
	if err == nil && n != frame {
		err = fmt.Errorf("a packet of a stored sound has %d samples, want %d", n, frame)
	}
	if err != nil {
		return nil, err
	}
	p.next = (p.next + 1) % len(p.loop.packets)
	return p.pcm[:n], nil
}
