package api

import (
	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/sip"
	"parley/internal/webhook"
)

// problems are the texts of errors in the description.
var problems = wire.ProblemTexts{Messages: problemMessages, Resources: resources, Operations: operationMessages, Further: furtherProblems}

// problemMessages are messages of errors with a code, for the examples in the
// description.
var problemMessages = map[fault.Code]string{
	fault.Authentication:      "a credential is needed: X-API-Key, or Authorization: Bearer",
	fault.TokenExpired:        "the access token has expired",
	fault.InvalidToken:        "the access token is not valid",
	fault.KeyRevoked:          "the API key has been revoked",
	fault.Authorization:       "this needs a user's session: an API key will not do",
	fault.PreconditionFailed:  "the file is not the one that If-Match or If-Unmodified-Since asks for",
	fault.RangeNotSatisfiable: "the file has nothing of what the Range header asks for",
	fault.PayloadTooLarge:     "the body is larger than 1048576 bytes",
	fault.UnsupportedMedia:    "the body must be JSON, Content-Type application/json",
	fault.Validation:          "the request is not valid",
	fault.RateLimitExceeded:   "too many requests",
	fault.BudgetExhausted:     "the calls of this day have cost 50.12 EUR, and its budget is 50 EUR",
	fault.Internal:            "internal server error",
	fault.ServiceUnavailable:  "the database is unavailable",
}

// resources are what a not_found names, by the beginning of an operation's
// path; the longest that fits counts.
var resources = map[string]string{
	"/api/v1/auth/api-keys":       "API key",
	"/api/v1/users":               "user",
	"/api/v1/agents":              "agent",
	"/api/v1/workflows":           "workflow",
	"/api/v1/tools":               "tool",
	"/api/v1/analyses":            "analysis",
	"/api/v1/analysis-runs":       "run",
	"/api/v1/sounds":              "sound",
	"/api/v1/calls":               "workflow", // that is to be called
	"/api/v1/calls/test-agent":    "agent",
	"/api/v1/calls/{id}":          "call",
	"/api/v1/provider-keys":       "provider key",
	"/api/v1/variables":           "variable",
	"/api/v1/secrets":             "secret",
	"/api/v1/signing-secrets":     "signing secret",
	"/api/v1/public-tokens":       "public token",
	publicCalls:                   "workflow",
	"/api/v1/prompts":             "prompt",
	"/api/v1/sip-trunks":          "trunk",
	"/api/v1/phone-numbers":       "phone number",
	"/api/v1/webhooks":            "webhook configuration",
	"/api/v1/webhook-endpoints":   "webhook configuration",
	"/api/v1/webhooks/ingest":     "workflow",
	"/api/v1/webhooks/deliveries": "webhook delivery",
}

const platformTemplate = "welcome is a template of the platform, which nobody can change or delete: create a template with the slug welcome (POST /api/v1/prompts), and it takes its place for you"

// operationMessages are the messages of an operation's own, in place of
// problemMessages.
var operationMessages = map[string]map[fault.Code]string{
	"login":               {fault.Authentication: "the e-mail address or the password is wrong", fault.ServiceUnavailable: "too many sign-ins are being checked, try again in a moment"},
	"create-session":      {fault.Authentication: "the e-mail address or the password is wrong", fault.Authorization: errNotOwnPage.Message, fault.ServiceUnavailable: "too many sign-ins are being checked, try again in a moment"},
	"refresh-session":     {fault.InvalidToken: "the refresh token is not valid", fault.TokenExpired: "the refresh token has expired", fault.Authorization: errNotOwnPage.Message},
	"delete-session":      {fault.Authorization: errNotOwnPage.Message},
	"refresh":             {fault.InvalidToken: "the refresh token is not valid", fault.TokenExpired: "the refresh token has expired"},
	"create-agent":        {fault.Conflict: "an agent named front-desk exists already"},
	"delete-agent":        {fault.Conflict: "the agent front-desk is used by the active workflows appointment: deactivate it first, or take it out of them"},
	"create-workflow":     {fault.Conflict: "a workflow with the slug appointment exists already"},
	"create-analysis":     {fault.Conflict: "an analysis named outcome exists already"},
	"delete-analysis":     {fault.Conflict: "the analysis outcome is used by the active agents front-desk: take it out of them first"},
	"start-analysis-run":  {fault.Conflict: "a run of the analysis outcome is under way: wait until it has finished, or cancel it"},
	"cancel-analysis-run": {fault.Conflict: "the run has finished: its status is done"},
	"create-sound":        {fault.Conflict: "a sound named waiting exists already", fault.UnsupportedMedia: "the body must be a WAV or Ogg Opus file, Content-Type audio/ogg or audio/wav", fault.PayloadTooLarge: "the body is larger than 5242880 bytes"},
	"delete-sound":        {fault.Conflict: "the sound waiting is used by the active agents front-desk: take it out of them first"},
	"create-tool":         {fault.Conflict: "a tool named look_up_order exists already"},
	"delete-tool":         {fault.Conflict: "the tool look_up_order is used by the active agents front-desk: take it out of them first"},
	"create-prompt":       {fault.Conflict: "a prompt with the slug welcome exists already"},
	"import-prompts":      {fault.Conflict: "one of the prompts was created by another request at the same time"},
	"update-prompt":       {fault.Conflict: platformTemplate},
	"delete-prompt":       {fault.Conflict: platformTemplate},
	"rollback-prompt":     {fault.Conflict: platformTemplate},
	"say-call":            {fault.Conflict: "the call is not active: it is completed"},
	"message-call":        {fault.Conflict: "the call is not active: it is completed"},
	"context-call":        {fault.Conflict: "the call is not active: it is completed"},
	"mute-call":           {fault.Conflict: "the request was not executed: it is not known yet who has answered the phone"},
	"transfer-call":       {fault.Conflict: "the request was not executed: the caller is being transferred"},
	"listen-call":         {fault.Authorization: errListeningForbidden.Message, fault.Conflict: "the call is not active: it is completed"},
	"take-over-call":      {fault.Authorization: errListeningForbidden.Message, fault.Conflict: "the request was not executed: a person has taken the call over"},
	"create-phone-number": {fault.Conflict: "the phone number is in use"},
	"create-variable":     {fault.Conflict: "a variable named opening_hours exists already"},
	"create-secret":       {fault.Conflict: "a secret named clinic_api_key exists already"},
	"delete-secret":       {fault.Conflict: "the secret clinic_api_key is used by the tools look_up_order: take it out of them first"},
	"create-api-key":      {fault.Conflict: "at most 1000 api keys are allowed (limit api_keys)"},
	"create-user":         {fault.Conflict: "a user with this e-mail address exists already", fault.ServiceUnavailable: "too many sign-ins are being checked, try again in a moment"},
	"update-user":         {fault.ServiceUnavailable: "too many sign-ins are being checked, try again in a moment"},
	"change-password":     {fault.ServiceUnavailable: "too many sign-ins are being checked, try again in a moment"},
	"create-provider-key": {fault.Conflict: "at most 1000 provider keys are allowed (limit provider_keys)"},
	"check-provider-key":  {fault.Conflict: "the key was sealed with an encryption key that is gone: delete it and keep it anew"},
	"create-sip-trunk":    {fault.Conflict: "at most 200 sip trunks are allowed (limit sip_trunks)"},
	"update-sip-trunk":    {fault.Conflict: sip.ErrNumberConflict.Message},
	"delete-sip-trunk":    {fault.Conflict: "2 phone numbers use the trunk: delete them first"},
	"start-call":          {fault.Conflict: "the workflow appointment is not active", fault.ServiceUnavailable: "no worker is available"},
	"test-agent":          {fault.Conflict: "the agent front-desk is not active", fault.ServiceUnavailable: "no worker is available"},
	"create-public-token": {fault.Conflict: "at most 1000 public tokens are allowed (limit public_tokens)"},
	"start-public-call": {
		fault.Authentication: "the public token is not valid", fault.KeyRevoked: "the public token has been revoked", fault.TokenExpired: "the public token has expired",
		fault.Authorization: errOtherOrigin.Message, fault.Conflict: "the workflow appointment is not active", fault.ServiceUnavailable: "no worker is available",
	},
	"ingest":                    {fault.Conflict: "the workflow appointment is not active", fault.ServiceUnavailable: "no worker is available"},
	"get-call-recording":        {fault.Conflict: "the recording can be heard when the call is over"},
	"test-webhook":              {fault.Conflict: "the webhook is disabled"},
	"create-webhook-endpoint":   {fault.Conflict: "at most 20 webhooks are allowed (limit webhooks)"},
	"test-webhook-endpoint":     {fault.Conflict: "the webhook is disabled"},
	"replay-webhook-delivery":   {fault.Conflict: "the delivery is not finished"},
	"stream-calls":              {fault.ServiceUnavailable: "the server is shutting down"},
	"stream-call":               {fault.ServiceUnavailable: "the server is shutting down"},
	"replay-webhook-deliveries": {fault.Conflict: "the webhook is disabled"},
}

// errOtherUser is the answer to changes of a user with scopes that the requesting one lacks.
var errOtherUser = fault.New(fault.Authorization, "the user holds calls:write, and you do not")

// furtherProblems are more examples of errors with a code, by operation.
var furtherProblems = map[string][]*fault.Error{
	"create-api-key":            {fault.New(fault.Authorization, "you do not hold calls:write yourself")},
	"create-user":               {fault.New(fault.Authorization, "you do not hold calls:write yourself")},
	"update-user":               {fault.New(fault.Authorization, "you do not hold calls:write yourself"), errOtherUser, auth.ErrOneself},
	"delete-user":               {errOtherUser, auth.ErrOneself},
	"delete-prompt":             {fault.New(fault.Conflict, "the prompt welcome is used by the active agents front-desk: take it out of them first")},
	"revoke-api-key":            {fault.New(fault.Authorization, "the key holds calls:write, and you do not")},
	"ingest":                    {fault.Missing("agent")},
	"start-public-call":         {fault.Missing("agent")},
	"test-agent":                {errDraftScope},
	"put-webhook":               {webhook.ErrCallsRead},
	"patch-webhook":             {webhook.ErrCallsRead},
	"create-webhook-endpoint":   {webhook.ErrCallsRead},
	"update-webhook-endpoint":   {webhook.ErrCallsRead},
	"replay-webhook-deliveries": {fault.Missing("webhook configuration"), webhook.ErrCallsRead},
	"replay-webhook-delivery":   {fault.Missing("webhook configuration"), fault.New(fault.Conflict, "the webhook is disabled"), webhook.ErrCallsRead},
	"get-call-recording": {
		fault.New(fault.NotFound, "the call was not recorded"),
		fault.New(fault.NotFound, "what was said in the call was deleted after the tenant's retention"),
	},
}
