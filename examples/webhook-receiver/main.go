// Command webhook-receiver verifies and handles Parley's webhooks, with the standard library alone. A program that requires
// parley/client has VerifyWebhook and ParseEvent instead.
package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const tolerance = 300 * time.Second

var secret = os.Getenv("WEBHOOK_SECRET")

func verified(body []byte, header string) bool {
	stamp, signatures := "", [][]byte{}
	for part := range strings.SplitSeq(header, ",") {
		switch key, value, _ := strings.Cut(strings.TrimSpace(part), "="); key {
		case "t":
			stamp = value
		case "v1":
			got, _ := hex.DecodeString(value)
			signatures = append(signatures, got)
		}
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s", stamp, body)
	want, fits := mac.Sum(nil), false
	for _, got := range signatures {
		fits = hmac.Equal(got, want) || fits
	}
	return fits
}

type event struct {
	ID   string          `json:"id"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

func handle(e event) { fmt.Fprintln(os.Stdout, e.Type, e.ID) }

func main() {
	if secret == "" {
		log.Fatal("WEBHOOK_SECRET is not set")
	}
	var mu sync.Mutex
	handled := map[string]bool{} // ids of events
	http.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !verified(body, r.Header.Get("X-Webhook-Signature")) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var e event
		if err := json.Unmarshal(body, &e); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if !handled[e.ID] {
			handle(e)
			handled[e.ID] = true
		}
		w.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "9000"), nil))
}
