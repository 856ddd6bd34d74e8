package offline

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"parley/internal/dialogue"
)

// startOpen starts a recogniser with the open English language model. It takes
// some 100 MB and half a second, so calls share a few of them.
func startOpen(model string) (*process, error) {
	p, err := start("listen", []string{
		"-hmm", filepath.Join(model, "en-us"),
		"-dict", filepath.Join(model, "cmudict-en-us.dict"),
		"-lm", filepath.Join(model, "en-us.lm.bin"),
		// The second and third pass win little and come when the caller waits.
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

// decode lets a recogniser's process hear one stretch of a feed to its end.
// With an error the process is of no more use, unless it is the context's.
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
		for _, item := range f.take() {
			if item.pcm == nil {
				return finish(p)
			}
			if err := sendAudio(p, item.pcm); err != nil {
				return hypothesis{}, err
			}
		}
	}
}

// finish ends the stretch and waits for what was heard.
func finish(p *process) (hypothesis, error) {
	if err := p.send('F', nil); err != nil {
		return hypothesis{}, err
	}
	p.out.SetReadDeadline(time.Now().Add(p.patience))
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

// consult lets a process of the pool decode one stretch.
func consult(ctx context.Context, open *pool, f *feed) (hypothesis, error) {
	p, err := open.get(ctx)
	if err != nil {
		return hypothesis{}, err
	}
	h, err := decode(ctx, p, f)
	if err != nil && ctx.Err() == nil || !p.alive() {
		open.discard(p)
	} else {
		open.put(p)
	}
	return h, err
}

// transcribeTimeout is how long a process may take for what it was given of a
// recording, all at once, on a busy machine too.
const transcribeTimeout = 5 * time.Minute

// Transcribe recognises a recording at ListenRate with the open language
// model, in a process of its own. It is for tests and tools, not for calls.
func Transcribe(ctx context.Context, pcm []int16) (string, error) {
	model, err := recognizerModel()
	if err != nil {
		return "", err
	}
	p, err := startOpen(model)
	if err != nil {
		return "", fmt.Errorf("open recogniser: %w", err)
	}
	defer p.kill()
	defer context.AfterFunc(ctx, p.kill)()
	p.patience = transcribeTimeout
	if err := sendAudio(p, pcm); err != nil {
		return "", fmt.Errorf("transcribe: %w", err)
	}
	h, err := finish(p)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", fmt.Errorf("transcribe: %w", err)
	case !h.spoken():
		return "", nil
	}
	return h.text, nil
}
