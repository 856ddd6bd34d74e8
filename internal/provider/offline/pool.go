package offline

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errClosed is returned by a closed provider.
var errClosed = errors.New("offline speech is closed")

// pool reuses processes of one kind.
type pool struct {
	start func() (*process, error)
	keep  time.Duration // how long an idle process lives
	slots chan struct{} // one for each process that may be in use

	mu     sync.Mutex
	idle   []idleProcess
	live   map[*process]bool
	closed bool
	warms  bool // a spare process is starting
	tidy   *time.Timer
	starts sync.WaitGroup
}

type idleProcess struct {
	*process
	since time.Time
}

func newPool(limit int, keep time.Duration, start func() (*process, error)) *pool {
	return &pool{start: start, keep: keep, slots: make(chan struct{}, limit), live: map[*process]bool{}}
}

// get returns an idle process or starts one; it blocks while the limit is reached. The process must be returned by
// put or discard.
func (p *pool) get(ctx context.Context) (*process, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for {
		process, err := p.takeIdle()
		if process == nil && err == nil {
			process, err = p.add()
		}
		if err != nil {
			<-p.slots
			return nil, err
		}
		if process.alive() {
			return process, nil
		}
		p.forget(process)
	}
}

func (p *pool) takeIdle() (*process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	if len(p.idle) == 0 {
		return nil, nil
	}
	last := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return last.process, nil
}

// add starts a process and registers it for close.
func (p *pool) add() (*process, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed
	}
	p.starts.Add(1)
	p.mu.Unlock()
	defer p.starts.Done()
	process, err := p.start()
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.live[process] = true
	p.mu.Unlock()
	return process, nil
}

// release returns a usable process.
func (p *pool) release(process *process) {
	<-p.slots
	p.shelve(process)
}

// discard returns an unusable process and ends it.
func (p *pool) discard(process *process) {
	p.forget(process)
	<-p.slots
}

func (p *pool) forget(process *process) {
	process.kill()
	p.mu.Lock()
	delete(p.live, process)
	p.mu.Unlock()
}

// warm starts a spare process in the background if there is none.
func (p *pool) warm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.warms || len(p.idle) > 0 || len(p.live) >= cap(p.slots) {
		return
	}
	p.warms = true
	p.starts.Go(func() {
		// get will fail with the same error.
		process, err := p.add()
		p.mu.Lock()
		p.warms = false
		p.mu.Unlock()
		if err == nil {
			p.shelve(process)
		}
	})
}

func (p *pool) shelve(process *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return // close ends it
	}
	p.idle = append(p.idle, idleProcess{process, time.Now()})
	if p.tidy == nil {
		p.tidy = time.AfterFunc(p.keep, p.endIdle)
	}
}

// endIdle ends processes that have been idle for too long.
func (p *pool) endIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tidy = nil
	if p.closed {
		return
	}
	for len(p.idle) > 0 && time.Since(p.idle[0].since) >= p.keep {
		old := p.idle[0].process
		p.idle = p.idle[1:]
		delete(p.live, old)
		old.kill()
	}
	if len(p.idle) > 0 {
		p.tidy = time.AfterFunc(p.keep-time.Since(p.idle[0].since), p.endIdle)
	}
}

// close ends all processes, including those in use.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	if p.tidy != nil {
		p.tidy.Stop()
		p.tidy = nil
	}
	p.mu.Unlock()
	p.starts.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for process := range p.live {
		process.kill()
	}
	clear(p.live)
	p.idle = nil
}
