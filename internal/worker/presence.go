package worker

import (
	"context"
	"time"
)

// A worker tells that it is there, and how many calls it runs at once: by that
// the API knows whether a call that is dispatched can begin in time.

// present tells it for the first time, and reports whether it could.
func (w *Worker) present(ctx context.Context) bool {
	err := w.stay(ctx)
	if err != nil && ctx.Err() == nil {
		w.o.Log.ErrorContext(ctx, "tell that the worker is there", "error", err)
	}
	return err == nil
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
	err := w.o.Calls.Present(limited, w.o.Name, w.o.Capacity)
	if err == nil {
		w.sight.Seen(time.Now())
	}
	return err
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
