package recording

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"parley/internal/fault"
)

// BucketOptions configures an S3-compatible bucket.
type BucketOptions struct {
	Bucket string // s3://bucket or s3://bucket/prefix
	// Endpoint is the service's address, such as https://s3.eu-central-1.amazonaws.com;
	// "" is Amazon's.
	Endpoint             string
	Region               string // "" to query the service
	KeyID, Secret, Token string // Token is "" for lasting credentials
}

// Bucket stores recordings in an S3-compatible bucket.
type Bucket struct {
	client       *minio.Client
	name, prefix string
}

// NewBucket returns a Bucket. It makes no request.
func NewBucket(o BucketOptions) (*Bucket, error) {
	where, err := url.Parse(o.Bucket)
	if err != nil || where.Scheme != "s3" || where.Host == "" {
		return nil, fmt.Errorf("%q is no bucket: want s3://bucket or s3://bucket/prefix", o.Bucket)
	}
	endpoint := &url.URL{Scheme: "https", Host: "s3.amazonaws.com"}
	if o.Endpoint != "" {
		if endpoint, err = url.Parse(o.Endpoint); err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" {
			return nil, fmt.Errorf("%q is no address of a service: want https://host", o.Endpoint)
		}
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds: credentials.NewStaticV4(o.KeyID, o.Secret, o.Token), Secure: endpoint.Scheme == "https", Region: o.Region, MaxRetries: 1, // Store.Keep tries again
	})
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", o.Bucket, err)
	}
	return &Bucket{client, where.Host, strings.Trim(where.Path, "/")}, nil
}

// Check returns an error unless the bucket exists.
func (b *Bucket) Check(ctx context.Context) error {
	there, err := b.client.BucketExists(ctx, b.name)
	switch {
	case err != nil:
		return fmt.Errorf("bucket %s: %w", b.name, err)
	case !there:
		return fmt.Errorf("there is no bucket %s", b.name)
	}
	return nil
}

func (b *Bucket) key(name string) string { return path.Join(b.prefix, name) }

// Put uploads a file.
func (b *Bucket) Put(ctx context.Context, name, file string) error {
	_, err := b.client.FPutObject(ctx, b.name, b.key(name), file, minio.PutObjectOptions{ContentType: MediaType})
	return err
}

// Open returns an object, or not_found.
func (b *Bucket) Open(ctx context.Context, name string) (Content, error) {
	object, err := b.client.GetObject(ctx, b.name, b.key(name), minio.GetObjectOptions{})
	if err != nil {
		return nil, fmt.Errorf("open recording: %w", err)
	}
	info, err := object.Stat()
	if err != nil {
		object.Close()
		if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
			return nil, fault.New(fault.NotFound, "the recording is not in the bucket: it comes there when its call is over")
		}
		return nil, fmt.Errorf("open recording: %w", err)
	}
	return kept{object, info.Size}, nil
}

// Delete removes an object.
func (b *Bucket) Delete(ctx context.Context, name string) error {
	if err := b.client.RemoveObject(ctx, b.name, b.key(name), minio.RemoveObjectOptions{}); err != nil {
		return fmt.Errorf("delete recording: %w", err)
	}
	return nil
}

// kept is an object of the bucket.
type kept struct {
	*minio.Object
	size int64
}

func (k kept) Size() int64 { return k.size }
