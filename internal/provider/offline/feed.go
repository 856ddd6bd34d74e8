package offline

import (
	"slices"
	"sync"
)

// feed is a queue of audio for a recogniser process, with segment ends. Adding never blocks.
type feed struct {
	mu     sync.Mutex
	items  []feedItem
	queued int // samples
	wake   chan struct{}
}

// feedItem is a piece of audio, or the end of a segment when pcm is nil.
type feedItem struct {
	pcm []int16
}

func newFeed() *feed { return &feed{wake: make(chan struct{}, 1)} }

// append adds a copy of the audio and returns how many samples wait.
func (f *feed) append(pcm []int16) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(pcm) > 0 {
		f.items = append(f.items, feedItem{slices.Clone(pcm)})
		f.queued += len(pcm)
		f.signal()
	}
	return f.queued
}

// end marks the end of a segment.
func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.items = append(f.items, feedItem{})
	f.signal()
}

func (f *feed) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// putBack returns unused items to the front.
func (f *feed) putBack(items []feedItem) {
	if len(items) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.items = slices.Concat(items, f.items)
	for _, item := range items {
		f.queued += len(item.pcm)
	}
	f.signal()
}

// drain removes and returns all items; wake signals when there are any.
func (f *feed) drain() []feedItem {
	f.mu.Lock()
	defer f.mu.Unlock()
	items := f.items
	f.items, f.queued = nil, 0
	return items
}
