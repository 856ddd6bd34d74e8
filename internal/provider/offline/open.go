package offline

import (
	"context"
	"path/filepath"
	"time"

	"parley/internal/dialogue"
)

// startOpen starts a recogniser with the open English language model. It costs 100 MB and half a second, so calls share a few.
func startOpen(model string) (*process, error) {
	p, err := start("listen", []string{
		"-hmm", filepath.Join(model, "en-us"),
		"-dict", filepath.Join(model, "cmudict-en-us.dict"),
		"-lm", filepath.Join(model, "en-us.lm.bin"),
		// The second and third pass improve the result little and add latency.
		"-fwdflat", "no", "-bestpath", "no",
	})
	if err != nil {
		return nil, err
	}
	if err := p.send('Q', nil); err != nil {
		p.kill()
		return nil, err
	}
	return p, nil
}

// decode has a recogniser process decode one segment of a feed. After an error other than the context's the process
// is unusable.
func decode(ctx context.Context, p *process, f *feed) (hypothesis, error) {
	for {
		select {
		case <-ctx.Done():
			if err := p.send('Z', nil); err != nil {
				return hypothesis{}, err
			}
			return hypothesis{}, ctx.Err()
		case <-f.wake:
		}
		for _, item := range f.drain() {
			if item.pcm == nil {
				return finish(p)
			}
			if err := sendAudio(p, item.pcm); err != nil {
				return hypothesis{}, err
			}
		}
	}
}

// finish ends the segment and waits for the result.
func finish(p *process) (hypothesis, error) {
	if err := p.send('F', nil); err != nil {
		return hypothesis{}, err
	}
	p.out.SetReadDeadline(time.Now().Add(answerTimeout))
	defer p.out.SetReadDeadline(time.Time{})
	for {
		f, err := p.receive()
		if err != nil {
			return hypothesis{}, err
		}
		if f.kind == 'T' {
			return parseHypothesis(f.payload)
		}
	}
}

// sendAudio writes audio in frames of at most a second.
func sendAudio(p *process, pcm []int16) error {
	for len(pcm) > 0 {
		n := min(len(pcm), dialogue.ListenRate)
		if err := p.send('A', pcmBytes(pcm[:n])); err != nil {
			return err
		}
		pcm = pcm[n:]
	}
	return nil
}

// abandonAfter is how long a process may decode what nobody needs any more; then it is ended.
const abandonAfter = 300 * time.Millisecond

// consult decodes one segment with a process of the pool.
func consult(ctx context.Context, open *pool, f *feed) (hypothesis, error) {
	p, err := open.get(ctx)
	if err != nil {
		return hypothesis{}, err
	}
	over := make(chan struct{})
	ignore := context.AfterFunc(ctx, func() {
		select {
		case <-over:
		case <-time.After(abandonAfter): // the end of a call does not wait for it
			p.kill()
		}
	})
	h, err := decode(ctx, p, f)
	close(over)
	ignore()
	if err != nil && ctx.Err() == nil || !p.alive() {
		open.discard(p)
	} else {
		open.release(p)
	}
	return h, err
}
