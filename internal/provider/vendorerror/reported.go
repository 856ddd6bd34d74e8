package vendorerror

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/internal/dialogue"
)

// reported is an error that a vendor reports. Its text has the vendor's words, which may repeat the request; its summary has the
// status, the codes that are known, and what the words are about.
type reported struct {
	sentence error // in Parley's words
	status   string
	codes    []string // in the vendor's words
	words    string   // the vendor's message, cleaned
}

func (r reported) Error() string {
	if r.words == "" {
		return r.sentence.Error()
	}
	return r.sentence.Error() + ": " + r.words
}

func (r reported) Unwrap() error { return r.sentence }

// Summary implements dialogue.Summary.
func (r reported) Summary() string {
	var details []string
	for _, detail := range append([]string{r.status}, append(knownCodes(r.codes), hint(r.words))...) {
		if detail != "" && !slices.Contains(details, detail) {
			details = append(details, detail)
		}
	}
	if len(details) == 0 {
		return r.sentence.Error()
	}
	return fmt.Sprintf("%v (%s)", r.sentence, strings.Join(details, ", "))
}

// Stopped returns the error of an answer that a vendor stopped, of a kind such as dialogue.ErrDeclined, with the code that it gives as
// the reason.
func Stopped(kind error, sentence, code string) error {
	return reported{sentence: dialogue.ErrorOf(kind, sentence), codes: []string{code}, words: Clean(code, "")}
}

// Unexpected returns the error of an answer that is not what it should be, with the vendor's words for it, such as its media type.
func Unexpected(sentence, words string) error {
	return reported{sentence: dialogue.NewError(sentence), words: Clean(words, "")}
}

// maxCodes is the most codes in a summary.
const maxCodes = 3

// knownCodes returns the codes that are known; another one may be anything that a server chose to send.
func knownCodes(codes []string) (known []string) {
	for _, code := range codes {
		if vocabulary[strings.ToLower(code)] && len(known) < maxCodes {
			known = append(known, code)
		}
	}
	return known
}

// hints are what vendors' messages are about, by words that they have.
var hints = []struct {
	words *regexp.Regexp
	text  string
}{
	{regexp.MustCompile(`(?i)\b(model|deployment|engine)\b.*\b(not found|(does|do) not exist|not supported|not available|no access|decommissioned|deprecated|unknown|invalid)`), "the model is not found or not available"},
	{regexp.MustCompile(`(?i)\b(no such|unknown|invalid|unsupported) model\b`), "the model is not found or not available"},
	{regexp.MustCompile(`(?i)\bvoice\b.*\b(not found|(does|do) not exist|not available|no access|unknown|invalid)|\b(no such|unknown|invalid) voice`), "the voice is not found or not available"},
	{tooLong, "the prompt is too long for the model"},
	{regexp.MustCompile(`(?i)\b(api|access)[ -]key\b|\bcredential|\bunauthorized\b|\bauthenticat`), "about the key"},
	{regexp.MustCompile(`(?i)\b(quota|credits?|billing|payment|balance)\b`), "about the account's credit or quota"},
	{regexp.MustCompile(`(?i)\b(rate limit|too many requests|concurren|overloaded|capacity)`), "about too much load"},
	{regexp.MustCompile(`(?i)\blanguage\b.*\b(not supported|unsupported|invalid|unknown|not found)|\b(unsupported|invalid|unknown|bad) language`), "the language is not supported"},
	{regexp.MustCompile(`(?i)\btemperature\b`), "about the temperature"},
	{regexp.MustCompile(`(?i)\b(max_tokens|max_completion_tokens|max tokens)\b`), "about the limit of tokens"},
	{regexp.MustCompile(`(?i)\b(tools?|functions?)\b.*\b(schema|parameters|not supported|invalid)`), "about the tools' parameters"},
}

// hint returns what a vendor's message is about; "" if that is not known.
func hint(words string) string {
	words, _, _ = strings.Cut(words, "{") // the request, repeated
	for _, h := range hints {
		if h.words.MatchString(words) {
			return h.text
		}
	}
	return ""
}

// vocabulary is the codes of vendors' documentation, in lower case.
var vocabulary = func() map[string]bool {
	known := map[string]bool{}
	for code := range strings.FieldsSeq(`
		authentication_error permission_error permission_denied invalid_request_error invalid_request invalid_api_key incorrect_api_key
		not_found_error request_too_large rate_limit_error rate_limit_exceeded rate_limited overloaded_error overloaded timeout_error
		api_error server_error internal_error internal_server_error service_unavailable service_unavailable_error engine_overloaded
		billing_error insufficient_quota billing_hard_limit_reached billing_not_active account_deactivated organization_restricted
		model_not_found model_not_validated model_decommissioned model_terms_required invalid_model unsupported_model
		context_length_exceeded string_above_max_length invalid_value invalid_type missing_required_parameter unknown_parameter
		unsupported_parameter unsupported_value invalid_function_parameters invalid_prompt content_filter content_policy_violation
		responsibleaipolicyviolation tool_use_failed json_validate_failed unsupported_country_region_territory session_expired
		conversation_already_has_active_response response_cancel_not_active input_audio_buffer_commit_empty
		deploymentnotfound operationnotsupported badrequesterror notfounderror internalservererror unauthorized forbidden
		invalid_argument failed_precondition unauthenticated resource_exhausted not_found unavailable internal deadline_exceeded
		out_of_range unimplemented aborted cancelled data_loss api_key_invalid
		safety recitation prohibited_content blocklist spii other language max_tokens malformed_function_call unexpected_tool_call
		image_safety finish_reason_unspecified
		invalid_auth insufficient_permissions asr_payment_required payment_required invalid_query_parameter too_many_requests
		project_not_found bad_request data-0000 net-0000 net-0001 unparsable_client_message internal_server_error
		missing_permissions quota_exceeded voice_not_found max_character_limit_exceeded too_many_concurrent_requests
		concurrent_limit_exceeded concurrency_limited system_busy detected_unusual_activity needs_authorization auth_error
		commit_throttled unaccepted_terms queue_overflow session_time_limit_exceeded input_error chunk_size_exceeded
		insufficient_audio_activity transcriber_error invalid_uid invalid_input_message input_timeout_exceeded
		max_active_conversations plan_upgrade_required error`) {
		known[code] = code != "error"
	}
	return known
}()
