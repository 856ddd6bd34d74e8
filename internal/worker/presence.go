package worker

import (
	"context"
	"time"
)

// A worker tells that it is there, and how many calls it runs at once: by that
// the API knows whether a call that is dispatched can begin in time.

// present tells it for the first time.
func (w *Worker) present(ctx context.Context) {
	if err := w.stay(ctx); err != nil && ctx.Err() == nil {
		w.pulse.missed(time.Now())
		w.o.Log.ErrorContext(ctx, "tell that the worker is there", "error", err)
	}
}

// stay tells it again, until the worker leaves.
func (w *Worker) stay(ctx context.Context) error {
	w.presence.Lock()
	defer w.presence.Unlock()
	if w.left {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, databaseWait)
	defer cancel()
	return w.o.Calls.Present(limited, w.o.Name, w.o.Capacity)
}

// leave tells that the worker takes no more calls. Should that not be heard,
// its silence tells.
func (w *Worker) leave(ctx context.Context) {
	w.presence.Lock()
	defer w.presence.Unlock()
	w.left = true
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), databaseWait)
	defer cancel()
	if err := w.o.Calls.Absent(limited, w.o.Name); err != nil {
		w.o.Log.WarnContext(ctx, "tell that the worker leaves", "error", err)
	}
}
