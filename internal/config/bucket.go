package config

import (
	"net/url"
	"path/filepath"
)

// RecordingDir returns the folder that recordings are written to.
func (s *Store) RecordingDir() string { return filepath.Join(s.DataDir, "recordings") }

// Bucket is the settings of a bucket for recordings.
type Bucket struct {
	RecordingBucket string `name:"recording-bucket" env:"PARLEY_RECORDING_BUCKET" placeholder:"s3://BUCKET[/PREFIX]" help:"S3-compatible bucket for recordings, shared by all nodes. Default: the data folder."`
	S3Endpoint      string `name:"s3-endpoint" env:"AWS_ENDPOINT_URL_S3" placeholder:"URL" help:"Endpoint URL of the bucket's service. Default: Amazon S3."`
	S3Region        string `name:"s3-region" env:"AWS_REGION" placeholder:"REGION" help:"Its region. Default: as reported by the service."`
	S3KeyID         string `name:"s3-access-key-id" env:"AWS_ACCESS_KEY_ID" private:"" placeholder:"ID" help:"Access key ID."`
	S3Secret        string `name:"s3-secret-access-key" env:"AWS_SECRET_ACCESS_KEY" secret:"" placeholder:"SECRET" help:"Secret access key."`
	S3Token         string `name:"s3-session-token" env:"AWS_SESSION_TOKEN" secret:"" placeholder:"TOKEN" help:"Session token of temporary credentials."`
}

// Check validates the settings.
func (s *Bucket) Check() error {
	if s.RecordingBucket == "" {
		return nil
	}
	if u, err := url.Parse(s.RecordingBucket); err != nil || u.Scheme != "s3" || u.Host == "" {
		return wrong("PARLEY_RECORDING_BUCKET", "want a bucket such as s3://recordings or s3://recordings/parley")
	}
	if s.S3Endpoint != "" {
		if u, err := url.Parse(s.S3Endpoint); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return wrong("AWS_ENDPOINT_URL_S3", "want an address such as https://s3.example.com")
		}
	}
	if s.S3KeyID == "" {
		return wrong("AWS_ACCESS_KEY_ID", "is required with PARLEY_RECORDING_BUCKET")
	}
	if s.S3Secret == "" {
		return wrong("AWS_SECRET_ACCESS_KEY", "is required with PARLEY_RECORDING_BUCKET")
	}
	return nil
}
