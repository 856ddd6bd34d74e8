package webhook

import "parley/internal/signing"

// SignatureHeader is the header with a delivery's signature.
const SignatureHeader = signing.WebhookHeader

// newSecret returns a signing secret.
func newSecret() string { return signing.NewSecret("whsec_") }
