package config

import (
	"net/url"
	"path/filepath"
)

// RecordingDir returns the folder that recordings are written to.
func (s *Store) RecordingDir() string { return filepath.Join(s.DataDir, "recordings") }

// checkBucket validates the recording settings.
func (s *Server) checkBucket() error {
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
