package worker

import (
	"context"
	"time"
)

// A worker registers itself and its capacity, so that the API knows whether a dispatched call can start in time.

// register registers the worker, and reports whether it succeeded.
func (w *Worker) register(ctx context.Context) bool {
	err := w.keepRegistered(ctx)
	if err != nil && ctx.Err() == nil {
		w.options.Log.ErrorContext(ctx, "failed to register the worker", "error", err)
	}
	return err == nil
}

// keepRegistered renews the registration until the worker unregisters.
func (w *Worker) keepRegistered(ctx context.Context) error {
	w.registration.Lock()
	defer w.registration.Unlock()
	if w.unregistered {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	err := w.options.Calls.RegisterWorker(limited, w.options.Name, w.options.Capacity)
	if err == nil {
		w.database.MarkReachable(time.Now())
	}
	return err
}

// unregister ends the registration. If that fails, it expires.
func (w *Worker) unregister(ctx context.Context) {
	w.registration.Lock()
	defer w.registration.Unlock()
	w.unregistered = true
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), databaseTimeout)
	defer cancel()
	if err := w.options.Calls.UnregisterWorker(limited, w.options.Name); err != nil {
		w.options.Log.WarnContext(ctx, "failed to unregister the worker", "error", err)
	}
}
