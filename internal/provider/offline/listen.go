package offline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"parley/internal/dialogue"
)

// idleLife is how long an unused speech process is kept.
const idleLife = time.Minute

// Recognizer is pocketsphinx as a dialogue.Recognizer. Each call has a small process that recognises the grammar's sentences;
// calls share a few large ones for everything else.
type Recognizer struct {
	files  []*os.File
	closed *pool
	open   *pool
}

// NewRecognizer finds the installation; it starts no process yet.
func NewRecognizer() (*Recognizer, error) {
	model, err := recognizerModel()
	if err != nil {
		return nil, err
	}
	files, err := grammarFiles(model)
	if err != nil {
		return nil, fmt.Errorf("prepare the recogniser's grammar: %w", err)
	}
	return &Recognizer{
		files: files,
		closed: newPool(maxCalls, idleLife, func() (*process, error) {
			return startClosed(model, files)
		}),
		open: newPool(runtime.GOMAXPROCS(0), idleLife, func() (*process, error) {
			return startOpen(model)
		}),
	}, nil
}

// startClosed starts a recogniser with the demo's grammar.
func startClosed(model string, files []*os.File) (*process, error) {
	return start("listen", []string{
		"-hmm", filepath.Join(model, "en-us"),
		"-dict", "/proc/self/fd/3",
		"-jsgf", "/proc/self/fd/4",
		"-featparams", "/proc/self/fd/5",
		// Scores relative to all senones show what is outside the grammar.
		"-compallsen", "yes",
	}, files...)
}

// maxCalls limits the concurrent recognitions, which use a process each.
const maxCalls = 256

// Recognize opens the recognition of one call without waiting for its process; audio is buffered meanwhile.
func (r *Recognizer) Recognize(ctx context.Context, o dialogue.RecognizeOptions) (dialogue.Recognition, error) {
	if o.Language != "" && !english(o.Language) {
		return nil, dialogue.Errorf("offline recogniser: language %q is not known, only English", o.Language)
	}
	ctx, cancel := context.WithCancel(ctx)
	h := &recognition{
		recognizer: r, ctx: ctx, cancel: cancel, used: o.Used,
		inbox:       newFeed(),
		segments:    []*segment{{}},
		opinions:    make(chan opinion),
		transcripts: make(chan dialogue.Transcript),
		done:        make(chan struct{}),
	}
	go h.run()
	return h, nil
}

// Close ends all recognitions and processes.
func (r *Recognizer) Close() error {
	r.closed.close()
	r.open.close()
	closeAll(r.files)
	return nil
}

// english reports whether a BCP 47 tag is English.
func english(tag string) bool {
	return len(tag) >= 2 && (tag[:2] == "en" || tag[:2] == "EN") && (len(tag) == 2 || tag[2] == '-' || tag[2] == '_')
}
