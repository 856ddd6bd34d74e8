package main

// service is a field of client.Client with the operations on a resource.
type service struct {
	name, of string
	methods  []method
}

type method struct {
	name, operation string
	repeatable      bool // may be sent again when its outcome is unknown, though it is a POST
}

// services are the resources whose part of the client is generated. Agents, workflows, calls, the webhook, API keys and sounds are
// written by hand: their methods wait, retry with keys, send files and return sound.
var services = []service{
	{"HealthChecks", "the server's health", []method{
		{name: "Get", operation: "health"}, {name: "Live", operation: "health-live"}, {name: "Ready", operation: "health-ready"},
	}},
	{"Tools", "tools", []method{
		{name: "List", operation: "list-tools"}, {name: "Create", operation: "create-tool"}, {name: "Get", operation: "get-tool"},
		{name: "Update", operation: "update-tool"}, {name: "Delete", operation: "delete-tool"}, {name: "Try", operation: "try-tool"},
	}},
	{"Analyses", "analyses", []method{
		{name: "List", operation: "list-analyses"}, {name: "Create", operation: "create-analysis"}, {name: "Get", operation: "get-analysis"},
		{name: "Update", operation: "update-analysis"}, {name: "Delete", operation: "delete-analysis"},
		{name: "Versions", operation: "list-analysis-versions"}, {name: "Version", operation: "get-analysis-version"}, {name: "Rollback", operation: "rollback-analysis"},
		{name: "EstimateRun", operation: "estimate-analysis-run"}, {name: "StartRun", operation: "start-analysis-run"}, {name: "Runs", operation: "list-analysis-runs"},
		{name: "Run", operation: "get-analysis-run"}, {name: "CancelRun", operation: "cancel-analysis-run"},
	}},
	{"Controls", "requests to calls that run", []method{
		{name: "Say", operation: "say-call"}, {name: "Message", operation: "message-call"}, {name: "Context", operation: "context-call"},
		{name: "Mute", operation: "mute-call"}, {name: "Transfer", operation: "transfer-call"},
		{name: "Listen", operation: "listen-call"}, {name: "TakeOver", operation: "take-over-call"},
	}},
	{"Prompts", "prompt templates", []method{
		{name: "List", operation: "list-prompts"}, {name: "Create", operation: "create-prompt"}, {name: "Get", operation: "get-prompt"},
		{name: "Update", operation: "update-prompt"}, {name: "Delete", operation: "delete-prompt"},
		{name: "Versions", operation: "list-prompt-versions"}, {name: "Rollback", operation: "rollback-prompt"},
		{name: "Preview", operation: "preview-prompt", repeatable: true},
		{name: "Export", operation: "export-prompts"}, {name: "Import", operation: "import-prompts"},
	}},
	{"Trunks", "SIP trunks", []method{
		{name: "List", operation: "list-sip-trunks"}, {name: "Create", operation: "create-sip-trunk"},
		{name: "Get", operation: "get-sip-trunk"}, {name: "Update", operation: "update-sip-trunk"},
		{name: "Delete", operation: "delete-sip-trunk"}, {name: "Check", operation: "check-sip-trunk", repeatable: true},
	}},
	{"PhoneNumbers", "phone numbers", []method{
		{name: "List", operation: "list-phone-numbers"}, {name: "Create", operation: "create-phone-number"}, {name: "Update", operation: "update-phone-number"},
		{name: "Delete", operation: "delete-phone-number"}, {name: "SIPMessages", operation: "get-phone-number-sip-messages"},
	}},
	{"ProviderKeys", "keys of providers", []method{
		{name: "List", operation: "list-provider-keys"}, {name: "Create", operation: "create-provider-key"},
		{name: "Delete", operation: "delete-provider-key"}, {name: "Check", operation: "check-provider-key", repeatable: true},
	}},
	{"Variables", "variables", []method{
		{name: "List", operation: "list-variables"}, {name: "Create", operation: "create-variable"}, {name: "Get", operation: "get-variable"},
		{name: "Update", operation: "update-variable"}, {name: "Delete", operation: "delete-variable"},
	}},
	{"Secrets", "secrets", []method{
		{name: "List", operation: "list-secrets"}, {name: "Create", operation: "create-secret"}, {name: "Get", operation: "get-secret"},
		{name: "Update", operation: "update-secret"}, {name: "Delete", operation: "delete-secret"},
	}},
	{"SigningSecrets", "signing secrets", []method{
		{name: "List", operation: "list-signing-secrets"}, {name: "Rotate", operation: "rotate-signing-secret"}, {name: "Delete", operation: "delete-signing-secret"},
	}},
	{"PublicTokens", "public tokens", []method{
		{name: "List", operation: "list-public-tokens"}, {name: "Create", operation: "create-public-token"}, {name: "Get", operation: "get-public-token"},
		{name: "Revoke", operation: "delete-public-token"},
	}},
	{"PublicCalls", "calls that a public token starts", []method{{name: "Start", operation: "start-public-call"}}},
	{"BrowserSessions", "sessions of the dashboard, whose tokens are in cookies", []method{
		{name: "SignInMethods", operation: "get-sign-in-methods"}, {name: "Create", operation: "create-session"},
		{name: "Refresh", operation: "refresh-session"}, {name: "Delete", operation: "delete-session"},
	}},
	{"Users", "users", []method{
		{name: "List", operation: "list-users"}, {name: "Create", operation: "create-user"}, {name: "Update", operation: "update-user"}, {name: "Delete", operation: "delete-user"},
		{name: "ChangePassword", operation: "change-password"},
	}},
	{"Providers", "providers", []method{{name: "List", operation: "list-providers"}}},
	{"WebhookEndpoints", "all webhooks of the tenant", []method{
		{name: "List", operation: "list-webhook-endpoints"}, {name: "Create", operation: "create-webhook-endpoint"},
		{name: "Get", operation: "get-webhook-endpoint"}, {name: "Update", operation: "update-webhook-endpoint"},
		{name: "Delete", operation: "delete-webhook-endpoint"}, {name: "Enable", operation: "enable-webhook-endpoint"},
		{name: "Disable", operation: "disable-webhook-endpoint"}, {name: "RotateSecret", operation: "rotate-webhook-endpoint-secret"},
		{name: "Test", operation: "test-webhook-endpoint"},
	}},
	{"Deliveries", "webhook deliveries", []method{
		{name: "List", operation: "list-webhook-deliveries"}, {name: "Get", operation: "get-webhook-delivery"},
		{name: "Replay", operation: "replay-webhook-delivery"},
		{name: "ReplayFailed", operation: "replay-webhook-deliveries", repeatable: true},
	}},
	{"Analytics", "figures of calls", []method{
		{name: "Summary", operation: "get-summary"}, {name: "ActiveCalls", operation: "get-active-calls"},
		{name: "CallVolume", operation: "get-call-volume"}, {name: "ProviderLatency", operation: "get-provider-latency"},
		{name: "WorkflowStats", operation: "get-workflow-stats"}, {name: "Costs", operation: "get-costs"}, {name: "Results", operation: "get-results"}, {name: "AnsweredBy", operation: "get-answered-by"}, {name: "Errors", operation: "get-errors"}, {name: "ErrorGroups", operation: "get-error-groups"},
	}},
	{"Prices", "prices", []method{{name: "List", operation: "list-prices"}, {name: "Replace", operation: "replace-prices"}}},
	{"AuditLog", "the audit log", []method{{name: "List", operation: "list-audit-log"}}},
	{"Limits", "limits", []method{{name: "List", operation: "list-limits"}, {name: "Budgets", operation: "list-budgets"}}},
	{"MediaServer", "the media server", []method{{name: "Get", operation: "get-media-server"}}},
	{"Conditions", "conditions of workflows", []method{{name: "Evaluate", operation: "evaluate-condition", repeatable: true}}},
}

// names are the Go names of schemas, where they are not the schema's without its suffix.
var names = map[string]string{
	"Action": "ToolAction", "Parameter": "ToolParameter", "Variable": "PromptVariable", "PromptFields": "NewPrompt",
	"CreateAnalysisBody": "NewAnalysis", "AnalysisBody": "Analysis", "Criterion": "AnalysisCriterion", "Conditions": "AnalysisConditions",
	"CreateToolBody": "NewTool", "CreateTrunkBody": "NewTrunk", "CreatePhoneNumberBody": "NewPhoneNumber",
	"CreateProviderKeyBody": "NewProviderKey", "PreviewPromptInBody": "PreviewPrompt", "RollbackPromptInBody": "RollbackPrompt", "RollbackAnalysisInBody": "RollbackAnalysis", "AnalysisVersionBody": "AnalysisVersion",
	"PromptBody": "PromptTemplate", "PreviewBody": "PromptPreview", "DeliveryBody": "LoggedDelivery",
	"DeliveryDetailBody": "DeliveryDetail", "ImportedBody": "ImportedPrompts", "PromptsBody": "ExportedPrompts",
	"ConditionBody": "ConditionResult", "KeyCheckBody": "ProviderKeyCheck", "EvaluateConditionInBody": "EvaluateCondition",
	"VariableBody": "TenantVariable", "CreateVariableBody": "NewVariable", "UpdateVariableBody": "VariableUpdate",
	"RotateSigningSecretInBody": "RotateSigningSecret", "RotateEndpointInBody": "RotateWebhookSecret", "CreateSecretBody": "NewSecret", "PublicTokenBody": "PublicToken", "CreatePublicTokenBody": "NewPublicToken", "UpdateSecretBody": "SecretUpdate",
	"SayBody": "Say", "MessageBody": "CallMessage", "ContextBody": "CallContext", "MuteBody": "Mute", "TransferBody": "CallTransfer", "ControlBody": "Control", "RoomAccessBody": "RoomAccess",
	"ReplayFailedInBody": "ReplayFailed", "MediaServerBody": "MediaServerInfo", "PricesBody": "PriceList", "ReplacePricesInBody": "NewPrices", "PriceBody": "Price",
	"CreateUserInBody": "NewUser", "CookieLoginInBody": "SignIn", "OidcMethod": "OIDCMethod", "UserBody": "User", "UpdateUserInBody": "UserUpdate", "ChangePasswordInBody": "PasswordChange",
}

// written are the schemas whose types are written by hand.
var written = map[string]string{"SipMessageBody": "SIPMessage", "ReceiptBody": "TestDelivery", "WebhookBody": "Webhook", "WebhookSettingsBody": "WebhookSettings", "Detail": "Detail", "StartedBody": "Dispatch"}
