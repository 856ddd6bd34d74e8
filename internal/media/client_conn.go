package media

import (
	"bufio"
	"net"
	"net/http"
	"time"
)

const (
	// readTimeout bounds the wait for a client that does not read.
	readTimeout = 30 * time.Second
	// lingerTimeout bounds the wait for a client to close a connection that the server has closed.
	lingerTimeout = 2 * time.Second
)

// clientWriter responds to a client. A connection that it is upgraded to is bounded.
type clientWriter struct{ http.ResponseWriter }

// Unwrap lets http.ResponseController reach the client's connection.
func (w clientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Hijack hands over the connection.
func (w clientWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	return clientConn{conn}, buffered, nil
}

// clientConn is the upgraded connection of a client.
type clientConn struct{ net.Conn }

// Write fails if the client does not read within readTimeout.
func (c clientConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(readTimeout)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// CloseWrite announces the end to the client, which has lingerTimeout to close: what it sends meanwhile would
// otherwise reset the connection before it has read why.
func (c clientConn) CloseWrite() error {
	if err := c.SetReadDeadline(time.Now().Add(lingerTimeout)); err != nil {
		return err
	}
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
