package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"parley/client"
)

func Example() {
	c := client.New("http://127.0.0.1:8080", os.Getenv("PARLEY_API_KEY"))
	dispatch, err := c.Calls.Start(context.Background(), client.StartCall{
		WorkflowSlug: "demo",
		UserContext:  map[string]any{"name": "Ada"},
	})
	var refused *client.Error
	switch {
	case errors.As(err, &refused) && refused.Code == "not_found":
		log.Fatal("there is no such workflow")
	case err != nil:
		log.Fatal(err)
	}
	fmt.Println("join", dispatch.URL, "with", dispatch.Token)
}

func ExampleClient_Session() {
	ctx := context.Background()
	c := client.New("http://127.0.0.1:8080", "")
	tokens, err := c.Login(ctx, "ada@example.com", os.Getenv("PASSWORD"))
	if err != nil {
		log.Fatal(err)
	}
	key, err := c.Session(tokens.AccessToken).APIKeys.Create(ctx, client.NewAPIKey{
		Name: "backend", Environment: "live", Scopes: []string{"calls:*"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(key.Key)
}

func ExampleVerifyWebhook() {
	secret := os.Getenv("PARLEY_WEBHOOK_SECRET")
	http.HandleFunc("POST /parley", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, "body", http.StatusBadRequest)
			return
		}
		if err := client.VerifyWebhook(body, r.Header.Get(client.SignatureHeader), secret, time.Now()); err != nil {
			http.Error(w, "signature", http.StatusUnauthorized)
			return
		}
		event, err := client.ParseEvent(body)
		if err != nil {
			http.Error(w, "event", http.StatusBadRequest)
			return
		}
		fmt.Println(event.ID, event.Type) // the same event may come again: remember its ID
	})
}
