package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"

	"parley/internal/api"
	"parley/internal/media"
	"parley/internal/netguard"
	"parley/internal/sip"
)

// frontPhones listens at the port at which other processes reach the embedded media server, which itself has another
// one: it forwards their requests, and has the SIP gateway of this process dial for them.
func frontPhones(port int, server *media.Embedded, gateway sip.Phones, key, secret string, log *slog.Logger) (stop func(context.Context) error, err error) {
	target, err := url.Parse(strings.Replace(server.URL(), "ws", "http", 1))
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("PARLEY_RTC_PORT: %w", err)
	}
	netguard.Own(l.Addr())
	phones := sip.RemoteHandler(gateway, key, secret)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	front := api.HTTPServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/parley/") {
			phones.ServeHTTP(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}), log)
	go func() {
		if err := front.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("media server proxy failed", "error", err)
		}
	}()
	return func(context.Context) error { return front.Close() }, nil
}
