package redact_test

import (
	"encoding/json"
	"fmt"

	"parley/internal/redact"
)

func ExampleText() {
	fmt.Println(redact.Text("Call me at 030 1234567 or write to ann@example.com about order 4711003."))
	// Output: Call me at [phone] or write to [email] about order 4711003.
}

func ExampleJSON() {
	fmt.Println(string(redact.JSON(json.RawMessage(`{"phone": "030 1234567", "order": "4711003"}`))))
	// Output: {"order":"4711003","phone":"[phone]"}
}
