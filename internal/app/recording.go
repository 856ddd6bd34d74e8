package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley/internal/config"
	"parley/internal/recording"
	"parley/internal/retention"
)

// bucketTimeout bounds the check of the bucket at the start.
const bucketTimeout = 10 * time.Second

// openRecordings opens the recording storage. A bucket that does not respond at the start is a configuration error.
func (g *infrastructure) openRecordings(ctx context.Context) (err error) {
	g.recordings, err = openRecordings(ctx, g.config.RecordingDir(), g.config.Bucket, g.log)
	return err
}

func openRecordings(ctx context.Context, dir string, c config.Bucket, log *slog.Logger) (*recording.Store, error) {
	if c.RecordingBucket == "" {
		return recording.NewStore(dir, nil, log), nil
	}
	bucket, err := newBucket(c)
	if err == nil {
		limited, cancel := context.WithTimeout(ctx, bucketTimeout)
		defer cancel()
		err = bucket.Check(limited)
	}
	if err != nil {
		return nil, &config.Error{Variable: "PARLEY_RECORDING_BUCKET", Problem: err.Error()}
	}
	return recording.NewStore(dir, bucket, log), nil
}

func newBucket(c config.Bucket) (*recording.Bucket, error) {
	return recording.NewBucket(recording.BucketOptions{
		Bucket: c.RecordingBucket, Endpoint: c.S3Endpoint, Region: c.S3Region,
		KeyID: c.S3KeyID, Secret: c.S3Secret, Token: c.S3Token,
	})
}

// purgeExpired purges calls after their tenants' retention, until ctx ends. Leftover recordings are uploaded only after
// those of purged calls are deleted.
func (g *infrastructure) purgeExpired(ctx context.Context) {
	purger := retention.New(g.db, g.recordings, g.log)
	purger.AuditRetention = g.config.AuditRetention
	purger.Look(ctx)
	var recovering sync.WaitGroup
	recovering.Go(func() { g.recordings.Recover(ctx) })
	purger.Run(ctx)
	recovering.Wait()
}
