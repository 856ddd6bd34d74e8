package phones

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"parley/e2e/binary"
)

// Assign has an agent of a server's demo tenant answer a phone number, which phones on this machine reach through a trunk of their own.
func Assign(ctx context.Context, s *binary.Server, number, agent string) error {
	trunk, err := create(ctx, s, "/api/v1/sip-trunks", map[string]any{"name": "Carrier", "address": "127.0.0.1:9", "allowed_addresses": []string{"127.0.0.1"}})
	if err != nil {
		return err
	}
	_, err = create(ctx, s, "/api/v1/phone-numbers", map[string]any{"number": number, "agent_name": agent, "trunk_id": trunk})
	return err
}

// create creates something that the client has no method for, and returns its id.
func create(ctx context.Context, s *binary.Server, path string, fields map[string]any) (id string, err error) {
	body, err := json.Marshal(fields)
	if err != nil {
		return "", err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+path, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	q.Header.Set("X-API-Key", s.Key)
	q.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		return "", fmt.Errorf("POST %s: %s", path, answer.Status)
	}
	var created struct{ ID string }
	err = json.NewDecoder(answer.Body).Decode(&created)
	return created.ID, err
}
