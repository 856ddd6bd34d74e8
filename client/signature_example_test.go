package client_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"parley/client"
)

// What Parley sends is "t=<seconds>,v1=<HMAC-SHA256 of t, a dot and the body>".
func ExampleVerifyWebhook_signature() {
	body, secret := []byte(`{"id":"evt_1","type":"call.completed","created":1795276800,"data":{"sequence":3}}`), "whsec_example"
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "1795276800.%s", body)
	header := fmt.Sprintf("t=1795276800,v1=%x", mac.Sum(nil))

	received := time.Unix(1795276802, 0)
	fmt.Println(client.VerifyWebhook(body, header, secret, received))
	fmt.Println(errors.Is(client.VerifyWebhook(body, header, "whsec_other", received), client.ErrSignatureWrong))
	fmt.Println(errors.Is(client.VerifyWebhook(body, header, secret, received.Add(time.Hour)), client.ErrSignatureExpired))
	event, err := client.ParseEvent(body)
	fmt.Println(event.ID, event.Type, err)
	// Output:
	// <nil>
	// true
	// true
	// evt_1 call.completed <nil>
}
