package attack

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/e2e/binary"
)

// slowVendor is a server that takes any request and answers a byte a second, without end.
func slowVendor(t *testing.T, contentType string) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(http.StatusOK)
		for n := 0; r.Context().Err() == nil; n++ {
			if _, err := w.Write([]byte(":")); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
			time.Sleep(time.Second)
		}
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}

// newSlowDesk returns a key of a tenant whose number is answered by an agent with a slow vendor of one kind: stt, llm or tts.
func newSlowDesk(t *testing.T, s *binary.Server, kind, number string) (key string) {
	t.Helper()
	key = newTenant(t, s, "slow-"+kind, "*")
	base := slowVendor(t, map[string]string{"stt": "application/json", "llm": "text/event-stream", "tts": "audio/pcm"}[kind])
	provider := "openai_compatible"
	if kind == "stt" {
		provider, base = "deepgram", "ws"+strings.TrimPrefix(base, "http")
	}
	post(t, s, key, "/api/v1/provider-keys", object{"provider_type": kind, "provider_name": provider, "api_key": "k", "base_url": base})
	config := object{"stt": object{"provider": "offline", "model": "pocketsphinx"}, "tts": object{"provider": "offline", "voice_id": "slt"},
		"llm": object{"provider": "offline", "model": "scripted"}, "prompt": object{"system": "- hello => Hello."}}
	switch kind {
	case "stt":
		config["stt"] = object{"provider": provider, "model": "nova-3"}
	case "tts":
		config["tts"] = object{"provider": provider, "model": "m", "voice_id": "v"}
		config["prompt"] = object{"greeting": "Hello.", "system": "You are the desk."}
	case "llm":
		config["llm"] = object{"provider": provider, "model": "m"}
		config["prompt"] = object{"system": "You are the desk. Greet the caller."}
	}
	post(t, s, key, "/api/v1/agents", object{"name": "desk", "config": config})
	newNumber(t, s, key, number, object{"allowed_addresses": []string{"127.0.0.0/28"}})
	return key
}

// attackSlowVendors calls the numbers of tenants with slow vendors, so many calls each, and sends silence as a caller who waits does, until the
// test ends. It returns when all calls have begun or have been refused.
func attackSlowVendors(t *testing.T, sipPort string, numbers []string, each int) (answered int) {
	t.Helper()
	for i, number := range numbers {
		phone := newPhone(t, fmt.Sprintf("127.0.0.%d", 8+i), sipPort)
		for n := range each {
			id := fmt.Sprintf("slow-%d-%d", i, n)
			phone.invite(t, id, number, 1)
			if phone.status(t, id, true) == "200" {
				answered++
				phone.send(t, "ACK", id, number, toTagForm.FindStringSubmatch(phone.responses[id])[1], 1, "")
				port, err := strconv.Atoi(mediaForm.FindStringSubmatch(phone.responses[id])[1])
				if err != nil {
					t.Fatal(err)
				}
				go func() {
					for seq := uint16(0); t.Context().Err() == nil; seq++ {
						_, _ = phone.media.WriteToUDP(rtp(seq, 1), &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
						time.Sleep(200 * time.Millisecond)
					}
				}()
			}
		}
	}
	return answered
}

// logTimelines logs the timelines of a tenant's calls that have not ended.
func logTimelines(t *testing.T, s *binary.Server, key string) {
	t.Helper()
	var list struct{ Items []struct{ ID string } }
	if _, text := send(t, s, key, http.MethodGet, "/api/v1/calls?status=active", ""); json.Unmarshal(text, &list) != nil {
		t.Fatalf("list calls: %s", text)
	}
	for _, c := range list.Items {
		_, timeline := send(t, s, key, http.MethodGet, "/api/v1/calls/"+c.ID+"/timeline", "")
		t.Logf("timeline of %s: %s", c.ID, timeline)
	}
}

// Tenants whose vendors answer a byte a second hold up their own calls only: those of others begin and are greeted, and the slow ones end
// with a cause, within a time, and use little memory.
func TestSlowVendors(t *testing.T) {
	s, port := phoneServer(t, map[string]string{"PARLEY_LOG_LEVEL": "warn", "PARLEY_ALLOW_PRIVATE_NETWORKS": "true"})
	newCarrierTenant(t, s, "acme")
	kinds, numbers, keys := []string{"stt", "llm", "tts"}, []string{}, []string{}
	for i, kind := range kinds {
		numbers = append(numbers, fmt.Sprintf("+493055510%d", i))
		keys = append(keys, newSlowDesk(t, s, kind, numbers[i]))
	}
	before := memory(t, s)
	began := time.Now()
	each := size(4, 10)
	answered := attackSlowVendors(t, port, numbers, each)

	phone := newPhone(t, "127.0.0.2", port)
	asked := time.Now()
	phone.invite(t, "caller", carrierNumber, 1)
	if got := phone.status(t, "caller", true); got != "200" {
		t.Fatalf("beside %d slow calls another tenant's caller is answered with %s", answered, got)
	}
	phone.send(t, "ACK", "caller", carrierNumber, toTagForm.FindStringSubmatch(phone.responses["caller"])[1], 1, "")
	hears := func() bool {
		_ = phone.media.SetReadDeadline(time.Now().Add(limit))
		packet := make([]byte, 2000)
		n, err := phone.media.Read(packet)
		if err != nil {
			t.Fatal("the caller hears nothing")
		}
		return n > 12 && slices.ContainsFunc(packet[12:n], func(sample byte) bool { return sample != 0xff && sample != 0x7f }) // silence in PCMU
	}
	for !hears() {
	}
	t.Logf("%d slow calls answered; another tenant's caller hears the agent after %.1f s", answered, time.Since(asked).Seconds())

	for i, key := range keys {
		defer func() {
			if t.Failed() {
				logTimelines(t, s, key)
			}
		}()
		await(t, "the calls with a slow "+kinds[i]+" have ended", func() bool {
			return openCalls(t, s, key) == 0
		})
		t.Logf("all calls with a slow %s have ended after %.0f s", kinds[i], time.Since(began).Seconds())
		_, id := listedCalls(t, s, key, "")
		if _, text := send(t, s, key, http.MethodGet, "/api/v1/calls/"+id, ""); !strings.Contains(string(text), `"status_reason":"provider_error"`) {
			t.Errorf("a call with a slow %s: %.600s", kinds[i], text)
		}
	}
	if grown := memory(t, s) - before; grown > 150<<20 {
		t.Errorf("slow vendors cost %d MB", grown>>20)
	}
}
