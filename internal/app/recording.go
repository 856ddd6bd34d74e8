package app

import (
	"context"
	"sync"
	"time"

	"parley/internal/config"
	"parley/internal/recording"
	"parley/internal/retention"
)

// bucketTimeout bounds the check of the bucket at the start.
const bucketTimeout = 10 * time.Second

// openRecordings opens the recording storage. A bucket that does not respond at the start is a configuration error.
func (g *infrastructure) openRecordings(ctx context.Context) error {
	var shelf recording.Shelf
	if g.config.RecordingBucket != "" {
		bucket, err := recording.NewBucket(recording.BucketOptions{
			Bucket: g.config.RecordingBucket, Endpoint: g.config.S3Endpoint, Region: g.config.S3Region,
			KeyID: g.config.S3KeyID, Secret: g.config.S3Secret, Token: g.config.S3Token,
		})
		if err == nil {
			limited, cancel := context.WithTimeout(ctx, bucketTimeout)
			defer cancel()
			err = bucket.Check(limited)
		}
		if err != nil {
			return &config.Error{Variable: "PARLEY_RECORDING_BUCKET", Problem: err.Error()}
		}
		shelf = bucket
	}
	g.recordings = recording.NewStore(g.config.RecordingDir(), shelf, g.log)
	return nil
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
