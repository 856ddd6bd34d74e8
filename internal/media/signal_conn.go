package media

import (
	"context"
	"io"
	"sync"
	"time"
)

// signalConn is the signalling of one client: the upgraded connection to the media server, which reads without limits. It bounds
// what the client sends, filters the server's messages, and can send others among them. Compression must not be negotiated.
type signalConn struct {
	server io.ReadWriteCloser
	filter ResponseFilter // nil for none
	limits *requestLimits
	ctx    context.Context // ends with the connection
	cancel context.CancelFunc

	requests, responses pipe // from the client, and to it

	frame    sync.Mutex // held while a frame is written to the client
	rejected sync.Once
}

// pipe connects a copy of net/http/httputil with a goroutine that reads or writes frames.
type pipe struct {
	*io.PipeReader
	*io.PipeWriter
}

func newPipe() pipe {
	r, w := io.Pipe()
	return pipe{r, w}
}

func newSignalConn(server io.ReadWriteCloser, filter ResponseFilter, limits *requestLimits) *signalConn {
	c := &signalConn{server: server, filter: filter, limits: limits, requests: newPipe(), responses: newPipe()}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	go func() { c.responses.PipeWriter.CloseWithError(c.forwardResponses()) }()
	go func() {
		err := c.forwardRequests()
		// The client may still be sending: it learns why the connection is closed if that is read.
		_, _ = io.Copy(io.Discard, c.requests.PipeReader)
		c.requests.PipeReader.CloseWithError(err)
	}()
	return c
}

// Read returns what the client receives.
func (c *signalConn) Read(p []byte) (int, error) { return c.responses.PipeReader.Read(p) }

// Write accepts what the client has sent.
func (c *signalConn) Write(p []byte) (int, error) { return c.requests.PipeWriter.Write(p) }

// Close closes the connection to the server, which delayedCloseConn delays: what the client has sent is forwarded before.
func (c *signalConn) Close() error {
	time.AfterFunc(closeDelay, c.cancel)
	_ = c.requests.PipeWriter.Close()
	_ = c.responses.PipeReader.Close()
	return c.server.Close()
}

// reject closes the connection for a reason that the client learns.
func (c *signalConn) reject(why *closeError) {
	c.rejected.Do(func() {
		_ = c.write(why.frame())
		_ = c.responses.PipeWriter.Close()
		_ = c.server.Close()
	})
}

// write writes a whole frame to the client.
func (c *signalConn) write(frame []byte) error {
	c.frame.Lock()
	defer c.frame.Unlock()
	_, err := c.responses.PipeWriter.Write(frame)
	return err
}
