export interface paths {
    "/api/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents
         * @description Newest first.
         *
         *     Requires the scope `agents:read`.
         */
        get: operations["list-agents"];
        put?: never;
        /**
         * Create an agent
         * @description The agent is active immediately.
         *
         *     Requires the scope `agents:write`.
         */
        post: operations["create-agent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an agent
         * @description Requires the scope `agents:read`.
         */
        get: operations["get-agent"];
        /**
         * Update an agent
         * @description The body is a JSON Merge Patch (RFC 7396): objects merge, arrays and values replace, null removes an optional field. The result is validated as on creation.
         *
         *     Requires the scope `agents:write`.
         */
        put: operations["update-agent"];
        post?: never;
        /**
         * Delete an agent
         * @description An active agent that active workflows use cannot be deleted.
         *
         *     Requires the scope `agents:delete`.
         */
        delete: operations["delete-agent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{name}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate an agent
         * @description Requires the scope `agents:write`.
         */
        post: operations["activate-agent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{name}/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deactivate an agent
         * @description New calls can no longer use it. Calls in progress continue.
         *
         *     Requires the scope `agents:write`.
         */
        post: operations["deactivate-agent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/active-calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count open calls
         * @description Counts all open calls, or with `started_after` or `started_before` those in the range.
         *
         *     Requires the scope `analytics:read` or `calls:read`.
         */
        get: operations["get-active-calls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/call-volume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get call volume
         * @description Without `started_after` the range starts with the first call, without `started_before` it ends now. At most 10,000 intervals.
         *
         *     Requires the scope `analytics:read` or `calls:read`.
         */
        get: operations["get-call-volume"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List errors
         * @description The error log, newest first. The range applies to the times of the errors.
         *
         *     Requires the scope `analytics:read` or `calls:read`.
         */
        get: operations["get-errors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/provider-latency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get provider latencies
         * @description Latencies of the turns of calls that have ended.
         *
         *     Requires the scope `analytics:read` or `calls:read`.
         */
        get: operations["get-provider-latency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get call statistics
         * @description Open calls count in `total_calls` and `active_calls` only.
         *
         *     Requires the scope `analytics:read` or `calls:read`.
         */
        get: operations["get-summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/analytics/workflow-stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get statistics by workflow
         * @description The workflows with the most calls, in descending order.
         *
         *     Requires the scope `analytics:read` or `calls:read`.
         */
        get: operations["get-workflow-stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit log entries
         * @description Lists who changed what and when, newest first: every change through the API except calls, sign-ins, failed sign-ins and sign-outs of users, and the operator's commands. Entries cannot be changed or deleted; they are kept for a year unless the operator sets another retention (PARLEY_AUDIT_RETENTION).
         *
         *     Requires the scope `audit:read`. Test keys are not allowed.
         */
        get: operations["list-audit-log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Newest first, without revoked keys. Requires a user's session.
         */
        get: operations["list-api-keys"];
        put?: never;
        /**
         * Create an API key
         * @description Requires a user's session.
         */
        post: operations["create-api-key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Requests with the key then fail with `key_revoked`. Requires a user's session.
         */
        delete: operations["revoke-api-key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description Failed sign-ins are limited per minute: 10 for an account from one address, 100 for an account in total, 30 from one address, 120 from its /24 (IPv6: /48) and 480 from its /16 (/32). Only the first limit applies in networks from which the account signed in within 90 days. While too many passwords are being checked, others get 503 with `Retry-After`. Requests to sign in and to renew are limited to 120 per minute and address.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Ends the session of a refresh token: all refresh and access tokens of the same sign-in become invalid. A session that exists can always be ended; requests with unknown tokens are limited to 120 per minute and address.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the current user and tenant
         * @description Returns the user of the session (null for an API key), the tenant, and the scopes of the credential.
         */
        get: operations["me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew a session
         * @description Returns a new access and refresh token; the given refresh token is used up. For 10 seconds the same client (same address and `User-Agent`) can use it again, so that two tabs of a browser can renew the session concurrently. Using it later, or from another client, ends the session. Requests to sign in and to renew are limited to 120 per minute and address.
         */
        post: operations["refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with cookies
         * @description Signs in as `POST /api/v1/auth/login` does, and stores the session in cookies that scripts cannot read (`HttpOnly`, `SameSite=Strict`, `Secure` and named `__Host-` over https). Requests without another credential are then made with them; those that change something need the header `X-Requested-By`. For web pages that this server serves: the request needs the header `X-Requested-By`, with any value, and must come from the server's own origin. Requests to sign in and to renew are limited to 120 per minute and address.
         */
        post: operations["create-session"];
        /**
         * Sign out with cookies
         * @description Ends the session in the cookies, in all tabs, and removes the cookies. For web pages that this server serves: the request needs the header `X-Requested-By`, with any value, and must come from the server's own origin. A session that exists can always be ended; requests with unknown tokens are limited to 120 per minute and address.
         */
        delete: operations["delete-session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/session/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew a session with cookies
         * @description Renews the session in the cookies as `POST /api/v1/auth/refresh` does. For web pages that this server serves: the request needs the header `X-Requested-By`, with any value, and must come from the server's own origin. Requests to sign in and to renew are limited to 120 per minute and address.
         */
        post: operations["refresh-session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List calls
         * @description Newest first.
         *
         *     Requires the scope `calls:read`.
         */
        get: operations["list-calls"];
        put?: never;
        /**
         * Start a call
         * @description Starts a call of a workflow. The caller joins the room with `url` and `token`. A missing provider key or trunk is listed in `warnings`; the call then fails when the caller joins.
         *
         *     An `Idempotency-Key` is valid for 24 hours: the same request gets the same response again, a different request with the same key is rejected, and a repetition while the first request is in progress is a conflict. A rejected request does not use up its key.
         *
         *     While more calls are waiting for a worker than can start in time, the response is 503 with `Retry-After`, and no call is created.
         *
         *     Requires the scope `calls:write`.
         */
        post: operations["start-call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/active": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List open calls
         * @description Newest first.
         *
         *     Requires the scope `calls:read`.
         */
        get: operations["list-active-calls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/test-agent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test an agent
         * @description Starts a voip call of a single agent. A `config` replaces the agent's stored configuration for this call only.
         *
         *     An `Idempotency-Key` is valid for 24 hours: the same request gets the same response again, a different request with the same key is rejected, and a repetition while the first request is in progress is a conflict. A rejected request does not use up its key.
         *
         *     While more calls are waiting for a worker than can start in time, the response is 503 with `Retry-After`, and no call is created.
         *
         *     Requires the scope `calls:write`.
         */
        post: operations["test-agent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a call
         * @description Requires the scope `calls:read`.
         */
        get: operations["get-call"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{id}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a call
         * @description Returns the call as it ended. Ending a call that has already ended has no effect.
         *
         *     Requires the scope `calls:write`.
         */
        post: operations["end-call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{id}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a call's metrics
         * @description Requires the scope `calls:read`.
         */
        get: operations["get-call-metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{id}/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a call's prompts
         * @description Returns the system prompts of the call's agents as they were when the call was created, whatever has changed since. Both lists are empty for a call that no agent has held, and once its content was deleted.
         *
         *     Requires the scope `agents:read` and `prompts:read`.
         */
        get: operations["get-call-prompts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{id}/recording": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a call's recording
         * @description Ogg Opus in stereo: the caller on the left, the agents on the right. Only conversations with agents whose `recording` is true are audible. Available after the end of the call. Supports `Range` requests.
         *
         *     Requires the scope `calls:read`.
         */
        get: operations["get-call-recording"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{id}/sip-messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a call's SIP messages
         * @description Lists in order the SIP messages that the gateway and the trunk exchanged for the call, at most 1,000. Empty unless the operator has the messages stored (`PARLEY_SIP_TRACE`), and after a day.
         *
         *     Requires the scope `calls:read` and `sip:read`.
         */
        get: operations["get-call-sip-messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a call's timeline
         * @description Lists in order: changes of status, handoffs, tool calls, turns with their latencies, errors, losses of the worker or of a connection with the recovery, holds and transfers of a phone, the quality of its audio, and how the agent reacted to sound of the caller while it spoke. Each entry has `type`, `timestamp` and the fields of its type.
         *
         *     Requires the scope `calls:read`.
         */
        get: operations["get-call-timeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{id}/transcript": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a call's transcript
         * @description Requires the scope `calls:read`.
         */
        get: operations["get-call-transcript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List limits
         * @description Lists the tenant's limits of records, calls and streams with their current usage. The operator sets them.
         *
         *     Requires the scope `limits:read`.
         */
        get: operations["list-limits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/media-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how callers reach the media server
         * @description Returns the ports that a caller's firewall has to allow. Signalling uses the `url` in the response to starting a call.
         *
         *     Requires the scope `calls:write`.
         */
        get: operations["get-media-server"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/phone-numbers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List phone numbers
         * @description Newest first.
         *
         *     Requires the scope `sip:read`.
         */
        get: operations["list-phone-numbers"];
        put?: never;
        /**
         * Create a phone number
         * @description Inbound calls to the number are answered by an existing workflow or agent. Only calls of its trunk are answered: from the trunk's `allowed_addresses`, or authenticated with its `username` and `password`. Where calls cannot be distinguished (trunks with overlapping `allowed_addresses`, or one without any that uses a digest), a number belongs to one tenant, which the operator assigns.
         *
         *     Requires the scope `sip:write`. Test keys are not allowed.
         */
        post: operations["create-phone-number"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/phone-numbers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a phone number
         * @description Requires the scope `sip:write`. Test keys are not allowed.
         */
        delete: operations["delete-phone-number"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/phone-numbers/{id}/sip-messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the SIP messages of refused calls
         * @description Lists in order the newest SIP messages, at most 1,000, of calls to the number that came from its trunk and were refused before they became calls of the API: over a limit, with media that cannot be agreed on, or without an agent that could answer. Ten such calls a minute are stored. Empty unless the operator has the messages stored (`PARLEY_SIP_TRACE`), and after a day.
         *
         *     Requires the scope `calls:read` and `sip:read`. Test keys are not allowed.
         */
        get: operations["get-phone-number-sip-messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List prompt templates
         * @description Your own templates and the platform's defaults that they do not replace, newest first.
         *
         *     Requires the scope `prompts:read`.
         */
        get: operations["list-prompts"];
        put?: never;
        /**
         * Create a prompt template
         * @description A template with the slug of a platform default replaces it for your tenant.
         *
         *     Requires the scope `prompts:write`.
         */
        post: operations["create-prompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/prompts/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export prompt templates
         * @description Returns all your templates in the format of the import, without the platform's defaults.
         *
         *     Requires the scope `prompts:read`.
         */
        get: operations["export-prompts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/prompts/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import prompt templates
         * @description Creates templates, or replaces those with the same slug. The import is atomic unless `partial` is true.
         *
         *     Requires the scope `prompts:write`.
         */
        post: operations["import-prompts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/prompts/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a prompt template
         * @description Returns your template, or else the platform's default.
         *
         *     Requires the scope `prompts:read`.
         */
        get: operations["get-prompt"];
        put?: never;
        post?: never;
        /**
         * Delete a prompt template
         * @description Deletes the template with its versions. A platform default of the same slug applies again; the default itself cannot be deleted (409 `conflict`).
         *
         *     Requires the scope `prompts:write`.
         */
        delete: operations["delete-prompt"];
        options?: never;
        head?: never;
        /**
         * Update a prompt template
         * @description The body is a JSON Merge Patch (RFC 7396) and creates a new version. A default of the platform cannot be changed (409 `conflict`): create a template with the same slug to replace it for your tenant.
         *
         *     Requires the scope `prompts:write`.
         */
        patch: operations["update-prompt"];
        trace?: never;
    };
    "/api/v1/prompts/{slug}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a prompt template
         * @description Requires the scope `prompts:read`.
         */
        post: operations["preview-prompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/prompts/{slug}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Roll back a prompt template
         * @description Restores an earlier version as a new version. A platform default cannot be rolled back (409 `conflict`).
         *
         *     Requires the scope `prompts:write`.
         */
        post: operations["rollback-prompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/prompts/{slug}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a prompt template's versions
         * @description Newest first. The 100 most recent earlier versions are kept.
         *
         *     Requires the scope `prompts:read`.
         */
        get: operations["list-prompt-versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provider-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List provider keys
         * @description Newest first, without the keys themselves.
         *
         *     Requires the scope `provider-keys:read`.
         */
        get: operations["list-provider-keys"];
        put?: never;
        /**
         * Create a provider key
         * @description Stores your own key for a provider. It has priority over the platform's key.
         *
         *     Requires the scope `provider-keys:write`. Test keys are not allowed.
         */
        post: operations["create-provider-key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provider-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a provider key
         * @description Requires the scope `provider-keys:write`. Test keys are not allowed.
         */
        delete: operations["delete-provider-key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provider-keys/{id}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a key for a provider
         * @description Sends one request, free of charge, to the vendor or to the server at the key's base_url, to check whether it accepts the key.
         *
         *     Requires the scope `provider-keys:write`. Test keys are not allowed.
         */
        post: operations["check-provider-key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List providers
         * @description Lists providers of speech to text, language models, text to speech and speech to speech (realtime), with the settings that their models support. No scope is required.
         */
        get: operations["list-providers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sip-trunks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List SIP trunks
         * @description Newest first.
         *
         *     Requires the scope `sip:read`.
         */
        get: operations["list-sip-trunks"];
        put?: never;
        /**
         * Create a SIP trunk
         * @description Requires the scope `sip:write`. Test keys are not allowed.
         */
        post: operations["create-sip-trunk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sip-trunks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a SIP trunk
         * @description Requires the scope `sip:read`.
         */
        get: operations["get-sip-trunk"];
        put?: never;
        post?: never;
        /**
         * Delete a SIP trunk
         * @description A trunk that phone numbers use cannot be deleted.
         *
         *     Requires the scope `sip:write`. Test keys are not allowed.
         */
        delete: operations["delete-sip-trunk"];
        options?: never;
        head?: never;
        /**
         * Update a SIP trunk
         * @description The body is a JSON Merge Patch (RFC 7396). The result is validated as on creation. When `address`, `transport` or `username` changes, the password and the values of kept headers must be given again. A change after which inbound calls could belong to another tenant's trunk as well, by addresses or credentials, is rejected.
         *
         *     Requires the scope `sip:write`. Test keys are not allowed.
         */
        patch: operations["update-sip-trunk"];
        trace?: never;
    };
    "/api/v1/sip-trunks/{id}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a SIP trunk
         * @description Sends OPTIONS to the trunk, without credentials, and waits at most 10 seconds for the response. A response does not mean that the trunk accepts calls.
         *
         *     Requires the scope `sip:write`. Test keys are not allowed.
         */
        post: operations["check-sip-trunk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sse/calls/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream all calls
         * @description Starts with all open calls, followed by calls as they change.
         *
         *     Changes are sent immediately, with heartbeats in between. Each message has an id: a client that reconnects with it in
         *     Last-Event-ID gets the messages that it missed. A client that does not read is disconnected. The stream ends with an error message when its
         *     credential expires or is revoked.
         *
         *     Requires the scope `calls:read`.
         */
        get: operations["stream-calls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sse/calls/{call_id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream a call
         * @description Starts with the call's status and its conversation so far, and closes after the message that the call has ended. If the call does not exist, the stream sends an error message.
         *
         *     Changes are sent immediately, with heartbeats in between. Each message has an id: a client that reconnects with it in
         *     Last-Event-ID gets the messages that it missed. A client that does not read is disconnected. The stream ends with an error message when its
         *     credential expires or is revoked.
         *
         *     Requires the scope `calls:read`.
         */
        get: operations["stream-call"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tools
         * @description Newest first.
         *
         *     Requires the scope `tools:read`.
         */
        get: operations["list-tools"];
        put?: never;
        /**
         * Create a tool
         * @description Agents that list it in `config.tools` can call it.
         *
         *     Requires the scope `tools:write`.
         */
        post: operations["create-tool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tools/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a tool
         * @description Requires the scope `tools:read`.
         */
        get: operations["get-tool"];
        /**
         * Update a tool
         * @description The body is a JSON Merge Patch (RFC 7396): objects merge, arrays and values replace, null removes an optional field. The result is validated as on creation.
         *
         *     Requires the scope `tools:write`.
         */
        put: operations["update-tool"];
        post?: never;
        /**
         * Delete a tool
         * @description Agents may continue to list it; it is no longer offered to them.
         *
         *     Requires the scope `tools:write` or `tools:delete`.
         */
        delete: operations["delete-tool"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tools/{name}/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a tool
         * @description Runs the tool's actions as a call does, for at most 45 seconds. Its requests are sent, with their effects. There is no call: tones and transfers are not possible, and flags, context and what would follow are only returned. Values of the context's `user` are masked.
         *
         *     Requires the scope `tools:write`.
         */
        post: operations["try-tool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the webhook configuration
         * @description The secret is not returned.
         *
         *     Requires the scope `webhooks:read`.
         */
        get: operations["get-webhook"];
        put?: never;
        /**
         * Create or replace the webhook configuration
         * @description A tenant has one webhook. The response contains the new secret, which is returned only once.
         *
         *     Requires the scope `webhooks:write`. Test keys are not allowed.
         */
        post: operations["put-webhook"];
        /**
         * Delete the webhook configuration
         * @description Pending deliveries fail.
         *
         *     Requires the scope `webhooks:write`. Test keys are not allowed.
         */
        delete: operations["delete-webhook"];
        options?: never;
        head?: never;
        /**
         * Update the webhook configuration
         * @description The body is a JSON Merge Patch (RFC 7396): objects merge, null sets the default. The secret is unchanged. When the host of `url` changes, stored headers must be given again.
         *
         *     Requires the scope `webhooks:write`. Test keys are not allowed.
         */
        patch: operations["patch-webhook"];
        trace?: never;
    };
    "/api/v1/webhooks/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries, newest first
         * @description A test key sees deliveries of test events only.
         *
         *     Requires the scope `webhooks:read`.
         */
        get: operations["list-webhook-deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/deliveries/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay failed deliveries
         * @description Creates new deliveries of the events of failed deliveries in a time range: at most 1,000, oldest first, ten per second. A test key replays test events only. Events with a later delivery are skipped, so that the request can be repeated; `call.test` events are skipped too. Terminal events with transcript or context also require the scope `calls:read`.
         *
         *     Requires the scope `webhooks:write`.
         */
        post: operations["replay-webhook-deliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery with its event and attempts
         * @description Requires the scope `webhooks:read`.
         */
        get: operations["get-webhook-delivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/deliveries/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a delivery
         * @description Creates a new delivery of the same event with the current configuration. A terminal event with transcript or context also requires the scope `calls:read`.
         *
         *     Requires the scope `webhooks:write`.
         */
        post: operations["replay-webhook-delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable the webhook
         * @description Requires the scope `webhooks:write`. Test keys are not allowed.
         */
        post: operations["disable-webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable the webhook
         * @description Requires the scope `webhooks:write`. Test keys are not allowed.
         */
        post: operations["enable-webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/ingest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a call from another platform
         * @description Give exactly one of `workflow_slug` and `agent_slug`. With a `phone_number` the call is sip, without one voip.
         *
         *     An `Idempotency-Key` is valid for 24 hours: the same request gets the same response again, a different request with the same key is rejected, and a repetition while the first request is in progress is a conflict. A rejected request does not use up its key.
         *
         *     While more calls are waiting for a worker than can start in time, the response is 503 with `Retry-After`, and no call is created.
         *
         *     Requires the scope `calls:write`.
         */
        post: operations["ingest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the webhook secret
         * @description The response contains the new secret, which is returned only once. While the secrets overlap, deliveries have two signatures.
         *
         *     Requires the scope `webhooks:write`. Test keys are not allowed.
         */
        post: operations["rotate-webhook-secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a call.test event
         * @description The event is sent regardless of the filter.
         *
         *     Requires the scope `webhooks:write`.
         */
        post: operations["test-webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workflows
         * @description Newest first.
         *
         *     Requires the scope `workflows:read`.
         */
        get: operations["list-workflows"];
        put?: never;
        /**
         * Create a workflow
         * @description The workflow is active immediately. Exactly one node is the entry and at least one an exit; node ids are unique, agents exist, and connections connect existing nodes without a cycle.
         *
         *     Requires the scope `workflows:write`.
         */
        post: operations["create-workflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/evaluate-condition": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Evaluate a condition
         * @description Returns the result that a call with this context would get. Nothing is stored.
         *
         *     Requires the scope `workflows:read`.
         */
        post: operations["evaluate-condition"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workflow
         * @description Requires the scope `workflows:read`.
         */
        get: operations["get-workflow"];
        /**
         * Update a workflow
         * @description The given fields replace the stored ones: name, description, and under config nodes, connections and shared_context. null removes a field. The result must satisfy the rules of creation.
         *
         *     Requires the scope `workflows:write`.
         */
        put: operations["update-workflow"];
        post?: never;
        /**
         * Delete a workflow
         * @description Calls in progress continue.
         *
         *     Requires the scope `workflows:delete`.
         */
        delete: operations["delete-workflow"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{slug}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate a workflow
         * @description Requires the scope `workflows:write`.
         */
        post: operations["activate-workflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{slug}/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deactivate a workflow
         * @description New calls can no longer use it. Calls in progress continue.
         *
         *     Requires the scope `workflows:write`.
         */
        post: operations["deactivate-workflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the health of the process and its dependencies
         * @description Returns `unhealthy` and 503 while the database, the media server or the disk fails; `degraded` while Redis is unreachable, no worker is registered or phone calls cannot be made. The database is checked during the request, the others every 2 seconds.
         */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check liveness
         * @description Checks only that the process responds: restart it when this fails.
         */
        get: operations["health-live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check readiness
         * @description Returns 503 while the process drains before it stops, while its database is unreachable or read-only, while its media server is unreachable or rejects the API key, and while its disk is full.
         */
        get: operations["health-ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Action: {
            /**
             * @description For transfer_call: permitted numbers in E.164 format, or prefixes such as +4930*. Required if phone_number contains templates other than {{user.*}}.
             * @example [
             *       "+4930123456",
             *       "+4989*"
             *     ]
             */
            allowed_numbers?: string[];
            /** @description For api_call: request body, an object that is sent as JSON. */
            body?: unknown;
            /**
             * @description For send_dtmf: tones to send: 0-9, A-D, * and #; w is a pause of half a second.
             * @example 1w22#
             */
            digits?: string;
            /**
             * @description For api_call: HTTP headers. Values may contain templates.
             * @example {
             *       "Authorization": "Bearer {{user.auth_token}}"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description For set_context: key in the workflow's state, {{workflow.<key>}}.
             * @example order
             */
            key?: string;
            /**
             * @description For respond: result of the tool, for the language model. For end_call and transfer_call: text that the agent speaks first.
             * @example Your order is on its way.
             */
            message?: string;
            /**
             * @description For api_call: HTTP method. Default: POST with a body, GET without one.
             * @enum {string}
             */
            method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
            /**
             * @description For set_flag: name of the flag, {{flags.<name>}}.
             * @example verified
             */
            name?: string;
            /** @description For api_call: actions after any other outcome. */
            on_failure?: components["schemas"]["Action"][];
            /** @description For api_call: actions after a 2xx response, which is available to them as {{result.*}}. */
            on_success?: components["schemas"]["Action"][];
            /**
             * @description For transfer_call: phone number in E.164 format.
             * @example +4930123456
             */
            phone_number?: string;
            /**
             * Format: int64
             * @description For api_call: number of retries after a connection error, 5xx or 429. Default: 0.
             * @example 1
             */
            retry_count?: number;
            /**
             * @description For handoff: name of the agent.
             * @example billing
             */
            target_agent?: string;
            /**
             * Format: int64
             * @description For api_call: timeout of an attempt, in seconds. Default: 15.
             * @example 30
             */
            timeout?: number;
            /**
             * @description Type of the action, which determines the other fields.
             * @enum {string}
             */
            type: "api_call" | "set_flag" | "set_context" | "handoff" | "end_call" | "transfer_call" | "send_dtmf" | "respond";
            /**
             * @description For api_call: URL, http or https. Templates are allowed after the host.
             * @example https://api.example.com/orders/{{params.order_id}}
             */
            url?: string;
            /** @description For set_flag (default: true) and set_context: the value. */
            value?: unknown;
        } & {
            [key: string]: unknown;
        };
        ActiveCallItem: {
            /**
             * @description Type of the call: voip (WebRTC) or sip (telephone).
             * @enum {string}
             */
            call_type: "voip" | "sip";
            /**
             * @description Name of the agent that speaks with the caller; null when the call has ended.
             * @example front-desk
             */
            current_agent: string | null;
            /**
             * @description Whether the phone has put the call on hold; the status stays active. false once the call has ended.
             * @example false
             */
            held: boolean;
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             */
            id: string;
            /**
             * Format: date-time
             * @description Time the call became active (UTC); null before.
             * @example 2026-11-01T09:30:04.500000Z
             */
            started_at: string | null;
            /**
             * @description Current status of the call.
             * @example active
             * @enum {string}
             */
            status: "pending" | "connecting" | "active";
            /**
             * @description Your identifier of the user.
             * @example customer-4711
             */
            user_id: string | null;
            /**
             * @description Slug of the workflow; null for a call of a single agent.
             * @example demo
             */
            workflow_slug: string | null;
        } & {
            [key: string]: unknown;
        };
        ActiveCount: {
            /**
             * Format: int64
             * @description Number of open calls.
             * @example 3
             */
            count: number;
            /**
             * Format: date-time
             * @description Time of the message (UTC).
             */
            timestamp: string;
        } & {
            [key: string]: unknown;
        };
        ActiveCountBody: {
            /**
             * Format: int64
             * @description Number of open calls.
             * @example 3
             */
            count: number;
        } & {
            [key: string]: unknown;
        };
        AgentBody: {
            /** @description Configuration of the agent. */
            config: components["schemas"]["AgentConfig"];
            /**
             * Format: date-time
             * @description Time the agent was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * @description Display name.
             * @example Front desk
             */
            display_name: string | null;
            /**
             * Format: uuid
             * @description Unique identifier of the agent.
             */
            id: string;
            /**
             * @description Whether new calls may use the agent.
             * @example true
             */
            is_active: boolean;
            /**
             * @description Unique name of the agent, used in paths.
             * @example front-desk
             */
            name: string;
            /** @description Possible mistakes in the accepted configuration: models that are not listed, missing tools, agents and prompt templates, and references that never have a value. */
            warnings?: string[];
        } & {
            [key: string]: unknown;
        };
        AgentChanged: {
            /**
             * @description Name of the new agent.
             * @example billing
             */
            agent: string;
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             */
            call_id: string;
            /**
             * @description Name of the previous agent.
             * @example front-desk
             */
            previous_agent: string;
            /**
             * Format: date-time
             * @description Time of the message (UTC).
             */
            timestamp: string;
        } & {
            [key: string]: unknown;
        };
        AgentConfig: {
            /** @description Processing of the caller's audio. */
            audio?: components["schemas"]["Audio"];
            /**
             * @description Language code with which the agent starts.
             * @example en
             */
            default_language?: string;
            /** @description Entries by keys of the phone (DTMF): an entry is one turn of the caller. */
            dtmf?: components["schemas"]["DTMF"];
            /** @description Agents to which this agent can hand the call over. */
            handoffs?: components["schemas"]["Handoff"][];
            /**
             * @description Supported language codes.
             * @example [
             *       "en",
             *       "de"
             *     ]
             */
            languages?: string[];
            /** @description Language model settings. Required without realtime. */
            llm?: components["schemas"]["LLM"];
            /** @description System prompt and greeting. */
            prompt: components["schemas"]["Prompt"];
            /** @description Speech-to-speech model, in place of stt, llm and tts. If these are set as well, they replace it for the rest of a call when it fails. */
            realtime?: components["schemas"]["Realtime"];
            /**
             * @description Whether the conversation with this agent is recorded. Default: false.
             * @example false
             */
            recording?: boolean;
            /** @description Speech-to-text settings. Required without realtime. */
            stt?: components["schemas"]["STT"];
            /**
             * @description Names of the tools that the agent may call.
             * @example [
             *       "look_up_order"
             *     ]
             */
            tools?: string[];
            /** @description Text-to-speech settings. Required without realtime. */
            tts?: components["schemas"]["TTS"];
            /** @description Turn detection settings, an object. */
            turn?: unknown;
        } & {
            [key: string]: unknown;
        };
        AgentItem: {
            /**
             * Format: date-time
             * @description Time the agent was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * @description Display name.
             * @example Front desk
             */
            display_name: string | null;
            /**
             * Format: uuid
             * @description Unique identifier of the agent.
             */
            id: string;
            /**
             * @description Whether new calls may use it.
             * @example true
             */
            is_active: boolean;
            /**
             * @description Unique name of the agent, used in paths.
             * @example front-desk
             */
            name: string;
        } & {
            [key: string]: unknown;
        };
        AgentMetricsBody: {
            /**
             * @description Name of the agent concerned.
             * @example front-desk
             */
            agent: string;
            /**
             * Format: double
             * @description Average time from the prompt to the first token, in milliseconds.
             * @example 320.2
             */
            llm_latency_ms: number;
            /**
             * Format: double
             * @description Average speech-to-text latency, in milliseconds; 0 if not measured.
             * @example 180.5
             */
            stt_latency_ms: number;
            /**
             * Format: int64
             * @description Number of input and output tokens of language models, including greetings and discarded answers, as reported by the providers.
             * @example 1840
             */
            total_tokens: number;
            /**
             * Format: double
             * @description Average time from the first text to the first audio, in milliseconds.
             * @example 140.8
             */
            tts_latency_ms: number;
            /**
             * Format: int64
             * @description Number of the caller's turns that this agent answered.
             * @example 6
             */
            turns: number;
            /**
             * Format: double
             * @description Average time from the end of the caller's speech to the agent's first audio, in milliseconds; 0 if not measured.
             * @example 690.4
             */
            voice_to_voice_ms: number;
        } & {
            [key: string]: unknown;
        };
        AgentPromptBody: {
            /**
             * @description Name of the agent.
             * @example front-desk
             */
            agent: string;
            /**
             * @description System prompt, with its {{path}} references.
             * @example You are the front desk of {{prompt.company}}.
             */
            system: string;
        } & {
            [key: string]: unknown;
        };
        AliveBody: {
            /**
             * @description Current status.
             * @enum {string}
             */
            status: "alive";
            /**
             * Format: date-time
             * @description Time of the message (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            timestamp: string;
        } & {
            [key: string]: unknown;
        };
        AttemptBody: {
            /**
             * Format: int64
             * @description Number of the attempt, from 1.
             * @example 1
             */
            attempt: number;
            /**
             * Format: int64
             * @description Duration, in milliseconds.
             * @example 84
             */
            duration_ms: number;
            /** @description Why there was no response; null if there was one. */
            error: string | null;
            /**
             * @description First 16 KiB of the response body.
             * @example ok
             */
            response_body: string;
            /**
             * Format: int64
             * @description HTTP status of the response; null if there was none.
             * @example 200
             */
            response_status: number | null;
            /**
             * Format: date-time
             * @description Time the attempt started (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            started_at: string;
        } & {
            [key: string]: unknown;
        };
        Audio: {
            /**
             * @description Whether steady noise is removed from the caller's audio before it is recognised. Default: off.
             * @example on
             * @enum {string}
             */
            noise_suppression?: "off" | "on";
        } & {
            [key: string]: unknown;
        };
        AuditActorBody: {
            /**
             * @description Unique identifier of the user or the API key; null for the operator.
             * @example 0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12
             */
            id: string | null;
            /**
             * @description user: a user's session; api_key: an API key; operator: a command on the server.
             * @enum {string}
             */
            type: "user" | "api_key" | "operator";
        } & {
            [key: string]: unknown;
        };
        AuditEntryBody: {
            /**
             * @description Action, as resource.verb.
             * @example agent.update
             */
            action: string;
            /** @description User, API key or operator that made the change. */
            actor: components["schemas"]["AuditActorBody"];
            /**
             * @description Names of the updated fields, without their values.
             * @example [
             *       "config.prompt",
             *       "display_name"
             *     ]
             */
            changes: string[];
            /**
             * @description IP address of the client; null if unknown.
             * @example 192.0.2.17
             */
            client_address: string | null;
            /**
             * Format: date-time
             * @description Time of the change (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * @description Unique identifier of the entry.
             * @example aud_0193a6f0000070008000000000000001
             */
            id: string;
            /**
             * @description The request's X-Request-Id; null for a command.
             * @example 8f3c1b7a9d2e4f60a1b2c3d4e5f60718
             */
            request_id: string | null;
            /** @description The changed resource. */
            resource: components["schemas"]["AuditResourceBody"];
        } & {
            [key: string]: unknown;
        };
        AuditResourceBody: {
            /**
             * @description Unique identifier of the resource.
             * @example 0193a6f0-5d20-7c11-8a4b-90c1d2e3f405
             */
            id: string | null;
            /**
             * @description Name or slug of the resource, where it has one.
             * @example front-desk
             */
            name: string | null;
            /**
             * @description Kind of the resource.
             * @example agent
             */
            type: string;
        } & {
            [key: string]: unknown;
        };
        CallBody: {
            /**
             * @description Names of the agents, in the order in which they spoke.
             * @example [
             *       "front-desk"
             *     ]
             */
            agent_history: string[];
            /**
             * @description Name of the agent of a test call; null for a call of a workflow.
             * @example null
             */
            agent_name: string | null;
            /**
             * @description Attestation level of the caller's number (STIR/SHAKEN): A, B or C; null without one.
             * @example null
             */
            attestation: string | null;
            /**
             * @description Type of the call: voip (WebRTC) or sip (telephone).
             * @enum {string}
             */
            call_type: "voip" | "sip";
            /**
             * @description Display name of the caller of an inbound phone call, as the network gave it; null without one.
             * @example null
             */
            caller_name: string | null;
            /**
             * Format: date-time
             * @description Time the call was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * @description Name of the agent that speaks with the caller; null when the call has ended.
             * @example null
             */
            current_agent: string | null;
            /**
             * @description Direction of the call: inbound (started by the caller) or outbound (dialled).
             * @enum {string}
             */
            direction: "inbound" | "outbound";
            /**
             * Format: int64
             * @description Duration since started_at, in seconds: until the end, or until now for an active call; 0 before it.
             * @example 72
             */
            duration_seconds: number;
            /**
             * Format: date-time
             * @description Time the call ended (UTC); null before.
             * @example 2026-11-01T09:31:16.250000Z
             */
            ended_at: string | null;
            /**
             * @description Caller of an inbound phone call as the network wrote it: a number, an extension or a name; null if withheld.
             * @example null
             */
            from: string | null;
            /**
             * @description Whether the phone has put the call on hold; the status stays active. false once the call has ended.
             * @example false
             */
            held: boolean;
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             */
            id: string;
            /**
             * @description Whether the call was made with a live key or a session (true) or a test key (false).
             * @example true
             */
            livemode: boolean;
            /**
             * @description Your own data.
             * @example {
             *       "order": "4711"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            } | null;
            /** @description Metrics of the call. */
            metrics: components["schemas"]["MetricsBody"];
            /**
             * @description Phone number of the other party, in E.164 format. For a voip call it is the number given at the start, which is not dialled; null for none.
             * @example null
             */
            phone_number: string | null;
            /** @description Quality of a phone call's audio, measured every few seconds, the last time at its end; absent for other calls, and until it is known. */
            quality?: components["schemas"]["Quality"];
            /**
             * @description Name of the call's room on the media server.
             * @example call-0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12
             */
            room_name: string;
            /**
             * Format: date-time
             * @description Time the call became active (UTC); null before.
             * @example 2026-11-01T09:30:04.500000Z
             */
            started_at: string | null;
            /**
             * @description Current status of the call.
             * @example completed
             * @enum {string}
             */
            status: "pending" | "connecting" | "active" | "completed" | "failed" | "disconnected" | "timeout";
            /**
             * @description Reason of the status; null if there is none.
             * @example caller_hangup
             */
            status_reason: string | null;
            /**
             * @description Your identifier of the user.
             * @example customer-4711
             */
            user_id: string | null;
            /**
             * @description Result of verifying the caller's number (STIR/SHAKEN), as the carrier gave it: TN-Validation-Passed, TN-Validation-Failed or No-TN-Validation; null without one.
             * @example null
             */
            verstat: string | null;
            /**
             * Format: uuid
             * @description Unique identifier of the workflow; null for a call of a single agent.
             * @example 0193a6f0-5d20-7c11-8a4b-90c1d2e3f405
             */
            workflow_id: string | null;
            /**
             * @description Slug of the workflow; null for a call of a single agent.
             * @example demo
             */
            workflow_slug: string | null;
        } & {
            [key: string]: unknown;
        };
        CallConnected: {
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             */
            call_id: string;
            /**
             * @description Human-readable message.
             * @example connected
             */
            message: string;
        } & {
            [key: string]: unknown;
        };
        CallItem: {
            /**
             * @description Names of the agents, in the order in which they spoke.
             * @example [
             *       "front-desk"
             *     ]
             */
            agent_history: string[];
            /**
             * @description Type of the call: voip (WebRTC) or sip (telephone).
             * @enum {string}
             */
            call_type: "voip" | "sip";
            /**
             * Format: int64
             * @description Duration since started_at, in seconds: until the end, or until now for an active call; 0 before it.
             * @example 72
             */
            duration_seconds: number;
            /**
             * Format: date-time
             * @description Time the call ended (UTC); null before.
             * @example 2026-11-01T09:31:16.250000Z
             */
            ended_at: string | null;
            /**
             * @description Whether the phone has put the call on hold; the status stays active. false once the call has ended.
             * @example false
             */
            held: boolean;
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             */
            id: string;
            /**
             * Format: date-time
             * @description Time the call became active (UTC); null before.
             * @example 2026-11-01T09:30:04.500000Z
             */
            started_at: string | null;
            /**
             * @description Current status of the call.
             * @example completed
             * @enum {string}
             */
            status: "pending" | "connecting" | "active" | "completed" | "failed" | "disconnected" | "timeout";
            /**
             * @description Your identifier of the user.
             * @example customer-4711
             */
            user_id: string | null;
            /**
             * Format: uuid
             * @description Unique identifier of the workflow; null for a call of a single agent.
             * @example 0193a6f0-5d20-7c11-8a4b-90c1d2e3f405
             */
            workflow_id: string | null;
            /**
             * @description Slug of the workflow; null for a call of a single agent.
             * @example demo
             */
            workflow_slug: string | null;
        } & {
            [key: string]: unknown;
        };
        CallMetricsBody: {
            /**
             * Format: int64
             * @description Number of handoffs.
             * @example 1
             */
            agent_handoffs: number;
            /** @description Metrics by agent, in the order of the agents' first turns, followed by agents that used tokens outside any turn, such as for a greeting. */
            agents: components["schemas"]["AgentMetricsBody"][];
            /**
             * Format: int64
             * @description Duration since started_at, in seconds: until the end, or until now for an active call; 0 before it.
             * @example 72
             */
            duration_seconds: number;
            /**
             * Format: double
             * @description Average time from the prompt to the first token, in milliseconds.
             * @example 320.2
             */
            llm_latency_ms: number;
            /**
             * Format: double
             * @description Average time from the end of the caller's speech to the final transcript, in milliseconds.
             * @example 180.5
             */
            stt_latency_ms: number;
            /**
             * Format: int64
             * @description Number of input and output tokens of language models, including greetings and discarded answers, as reported by the providers.
             * @example 1840
             */
            total_tokens: number;
            /**
             * Format: double
             * @description Average time from the first text to the first audio, in milliseconds.
             * @example 140.8
             */
            tts_latency_ms: number;
        } & {
            [key: string]: unknown;
        };
        CallPage: {
            /** @description Items on this page. */
            items: components["schemas"]["CallItem"][];
            /**
             * Format: int64
             * @description Page number, from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int64
             * @description Number of items per page, as requested.
             * @example 20
             */
            page_size: number;
            /**
             * Format: int64
             * @description Number of pages.
             * @example 3
             */
            pages: number;
            /**
             * Format: int64
             * @description Total number of items.
             * @example 42
             */
            total: number;
        } & {
            [key: string]: unknown;
        };
        CallProblem: {
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             */
            call_id: string;
            /**
             * @description Why the stream ends.
             * @example there is no such call
             */
            message: string;
        } & {
            [key: string]: unknown;
        };
        CallPromptsBody: {
            /** @description System prompts of the agents that have handled the call, in the order in which they first did. */
            agents: components["schemas"]["AgentPromptBody"][];
            /** @description Prompt templates that these system prompts refer to, by slug. */
            prompts: components["schemas"]["PromptTextsBody"][];
        } & {
            [key: string]: unknown;
        };
        CallState: {
            /**
             * @description Type of the call: voip (WebRTC) or sip (telephone).
             * @enum {string}
             */
            call_type: "voip" | "sip";
            /**
             * @description Name of the agent that speaks with the caller; null when the call has ended.
             * @example front-desk
             */
            current_agent: string | null;
            /**
             * Format: date-time
             * @description Time the call ended (UTC); null before.
             * @example null
             */
            ended_at: string | null;
            /**
             * @description Whether the phone has put the call on hold; the status stays active. false once the call has ended.
             * @example false
             */
            held: boolean;
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             */
            id: string;
            /**
             * Format: date-time
             * @description Time the call became active (UTC); null before.
             * @example 2026-11-01T09:30:04.500000Z
             */
            started_at: string | null;
            /**
             * @description Current status of the call.
             * @example active
             * @enum {string}
             */
            status: "pending" | "connecting" | "active" | "completed" | "failed" | "disconnected" | "timeout";
            /**
             * @description Reason of the status; null if there is none.
             * @example null
             */
            status_reason: string | null;
            /**
             * @description Your identifier of the user.
             * @example customer-4711
             */
            user_id: string | null;
            /**
             * @description Slug of the workflow; null for a call of a single agent.
             * @example demo
             */
            workflow_slug: string | null;
        } & {
            [key: string]: unknown;
        };
        CallStatus: {
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             */
            call_id: string;
            /**
             * Format: int64
             * @description Duration since started_at, in seconds: until the end, or until now for an active call; 0 before it.
             * @example 72
             */
            duration_seconds: number;
            /**
             * @description Whether the phone has put the call on hold; the status stays active. false once the call has ended.
             * @example false
             */
            held: boolean;
            /**
             * @description New status of the call.
             * @example completed
             * @enum {string}
             */
            status: "pending" | "connecting" | "active" | "completed" | "failed" | "disconnected" | "timeout";
            /**
             * @description Reason of the status; null if there is none.
             * @example caller_hangup
             */
            status_reason: string | null;
            /**
             * Format: date-time
             * @description Time of the change of status (UTC).
             */
            timestamp: string;
        } & {
            [key: string]: unknown;
        };
        CallsProblem: {
            /**
             * @description Why the stream ends.
             * @example the API key has been revoked
             */
            message: string;
            /**
             * Format: date-time
             * @description Time of the message (UTC).
             */
            timestamp: string;
        } & {
            [key: string]: unknown;
        };
        CallsUpdate: {
            /** @description The calls. */
            calls: components["schemas"]["CallState"][];
            /**
             * Format: date-time
             * @description Time of the message (UTC).
             */
            timestamp: string;
        } & {
            [key: string]: unknown;
        };
        CheckBody: {
            /**
             * @description embedded: no Redis is configured; a single node needs none.
             * @example embedded
             */
            mode?: string;
            /**
             * @description State of the dependency.
             * @enum {string}
             */
            status: "healthy" | "unhealthy";
        } & {
            [key: string]: unknown;
        };
        ConditionBody: {
            /**
             * @description Whether the condition is true in the context.
             * @example true
             */
            holds: boolean;
            /**
             * @description Possible mistakes in the accepted request.
             * @example []
             */
            warnings: string[];
        } & {
            [key: string]: unknown;
        };
        Connected: {
            /**
             * @description Human-readable message.
             * @example connected
             */
            message: string;
            /**
             * Format: uuid
             * @description Unique identifier of the tenant.
             */
            tenant_id: string;
        } & {
            [key: string]: unknown;
        };
        Connection: {
            /**
             * @description Condition: an expression over user, workflow and flags.
             * @example user.age >= 18
             */
            condition?: string;
            /**
             * @description Unique identifier of a node.
             * @example intake
             */
            source_id: string;
            /**
             * @description Unique identifier of a node.
             * @example booking
             */
            target_id: string;
        } & {
            [key: string]: unknown;
        };
        CookieLoginInBody: {
            /**
             * @description E-mail address of the user.
             * @example demo@parley.local
             */
            email: string;
            /**
             * @description Password of the user.
             * @example correct horse battery staple
             */
            password: string;
        } & {
            [key: string]: unknown;
        };
        CookieSessionBody: {
            /**
             * Format: int64
             * @description Time until the session has to be renewed, in seconds.
             * @example 1800
             */
            expires_in: number;
        } & {
            [key: string]: unknown;
        };
        CreateAgentBody: {
            /** @description Configuration. */
            config: components["schemas"]["AgentConfig"];
            /**
             * @description Display name.
             * @example Front desk
             */
            display_name?: string | null;
            /**
             * @description Unique name of the agent within the tenant, used in paths. Cannot be changed.
             * @example front-desk
             */
            name: string;
        } & {
            [key: string]: unknown;
        };
        CreateKeyInBody: {
            /**
             * @description Environment of the key: live or test. Calls of a test key have livemode false.
             * @enum {string}
             */
            environment: "live" | "test";
            /**
             * @description Display name.
             * @example Backend
             */
            name: string;
            /**
             * Format: int64
             * @description Rate limit, in requests per minute.
             * @default 600
             * @example 600
             */
            rate_limit?: number;
            /**
             * @description Scopes of the key: resource:action, resource:* or *. Only scopes that you have yourself can be granted.
             * @example [
             *       "calls:write",
             *       "calls:read"
             *     ]
             */
            scopes: string[];
        } & {
            [key: string]: unknown;
        };
        CreatePhoneNumberBody: {
            /**
             * @description Name of the agent that answers. Give either this or workflow_slug.
             * @example front-desk
             */
            agent_name?: string | null;
            /**
             * @description Phone number in E.164 format, or as it is dialled in the trunk's default_country. Unique within its trunk.
             * @example +4930123456
             */
            number: string;
            /**
             * Format: uuid
             * @description Unique identifier of the trunk that delivers the number's calls. Default: the platform's trunk, for numbers that the operator has assigned to your tenant.
             */
            trunk_id?: string | null;
            /**
             * @description Slug of the workflow that answers. Give either this or agent_name.
             * @example support
             */
            workflow_slug?: string | null;
        } & {
            [key: string]: unknown;
        };
        CreateProviderKeyBody: {
            /**
             * @description Encrypted at rest and never returned. Required, except for openai_compatible servers without authentication.
             * @example your-key-of-the-provider
             */
            api_key?: string;
            /**
             * @description Address of the server that the key is sent to, with http, https, ws or wss. Default: the provider's own; openai_compatible has none.
             * @example https://models.example.com/v1
             */
            base_url?: string;
            /** @description Whether the key becomes the default of its type, replacing the current one. Default: false. */
            is_default?: boolean;
            /**
             * @description Name of a provider of that type, see GET /api/v1/providers.
             * @example deepgram
             */
            provider_name: string;
            /**
             * @description Type of the provider: stt (speech to text), tts (text to speech) or llm (language model).
             * @example stt
             * @enum {string}
             */
            provider_type: "stt" | "llm" | "tts";
        } & {
            [key: string]: unknown;
        };
        CreateToolBody: {
            /** @description Configuration. */
            config: components["schemas"]["ToolConfig"];
            /**
             * @description Purpose of the tool, for the language model.
             * @example Finds an order by its number.
             */
            description?: string | null;
            /**
             * @description Unique name of the tool within the tenant, as the language model sees it. Cannot be changed.
             * @example look_up_order
             */
            name: string;
        } & {
            [key: string]: unknown;
        };
        CreateTrunkBody: {
            /**
             * @description Whether the other side of the trunk's calls may have the gateway call another number through the trunk instead (REFER), within what the tenant may dial. Default: false.
             * @example false
             */
            accept_transfers?: boolean;
            /**
             * @description SIP address of the carrier, as host or host:port.
             * @example sip.example.com:5061
             */
            address: string;
            /**
             * @description Whether calls may be dispatched to extensions (1001) and to SIP URIs at the trunk (sip:alice@pbx.example).
             * @example false
             */
            allow_uris?: boolean;
            /**
             * @description IP addresses and networks (CIDR, prefix of /16 or longer, of IPv6 /32) of the trunk's inbound calls. Calls from other addresses must authenticate with username and password.
             * @example [
             *       "203.0.113.0/24"
             *     ]
             */
            allowed_addresses?: string[];
            /**
             * @description Caller ID shown to the callee, in E.164 format, or as it is dialled in default_country.
             * @example +4930123456
             */
            caller_id?: string | null;
            /**
             * @description Country (ISO 3166, two letters) in which numbers without a country code are dialled. Without it, numbers are E.164.
             * @example US
             */
            default_country?: string | null;
            /**
             * @description Host of the From header, and of the identity headers. Default: the host of address if there is a username, otherwise the server's address.
             * @example acme.example
             */
            from_domain?: string | null;
            /**
             * @description SIP headers added to every outbound call. Encrypted at rest; the values are never returned. Headers of the protocol itself are not allowed.
             * @example {
             *       "X-Account": "4711"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description Names of SIP headers of inbound calls that become variables: X-Account becomes {{user.sip.x_account}}.
             * @example [
             *       "X-Account"
             *     ]
             */
            headers_in?: string[];
            /**
             * @description Names of SIP headers that the sip_headers of a dispatch may have.
             * @example [
             *       "X-Order"
             *     ]
             */
            headers_out?: string[];
            /**
             * @description Header that has the caller ID: From, P-Asserted-Identity or P-Preferred-Identity (RFC 3325). With the last two, From has the username.
             * @default from
             * @example p_asserted
             * @enum {string}
             */
            identity?: "from" | "p_asserted" | "p_preferred";
            /** @description Whether the trunk becomes the default, replacing the current one. Without a default the oldest trunk is used. */
            is_default?: boolean;
            /**
             * @description Media encryption (SRTP): off, allow (the other side decides) or require. Default: off.
             * @default off
             * @example off
             * @enum {string}
             */
            media_encryption?: "off" | "allow" | "require";
            /**
             * @description Display name.
             * @example Carrier
             */
            name: string;
            /**
             * @description Encrypted at rest and never returned.
             * @example correct horse battery staple
             */
            password?: string | null;
            /**
             * @description id withholds the caller ID from the callee: an anonymous From and the header Privacy: id (RFC 3323).
             * @default none
             * @example none
             * @enum {string}
             */
            privacy?: "none" | "id";
            /**
             * @description Transport of SIP signalling. Default: udp.
             * @default udp
             * @enum {string}
             */
            transport?: "udp" | "tcp" | "tls";
            /**
             * @description User name of the account at the carrier.
             * @example parley
             */
            username?: string | null;
        } & {
            [key: string]: unknown;
        };
        CreateWorkflowBody: {
            /** @description Configuration. */
            config: components["schemas"]["WorkflowConfig"];
            /**
             * @description Description.
             * @example Finds a time and confirms it.
             */
            description?: string | null;
            /**
             * @description Display name.
             * @example Make an appointment
             */
            name: string;
            /**
             * @description Unique identifier of the workflow within the tenant, used in paths. Cannot be changed.
             * @example appointment
             */
            slug: string;
        } & {
            [key: string]: unknown;
        };
        DTMF: {
            /**
             * @description Whether keys are taken. Default: true.
             * @example true
             */
            enabled?: boolean;
            /**
             * @description Key that completes an entry, which does not contain it; empty for none. Default: #.
             * @example #
             */
            end?: string;
            /**
             * @description Whether the first key stops the agent's speech. Otherwise the entry is answered after it. Default: true.
             * @example true
             */
            interrupts?: boolean;
            /**
             * Format: int64
             * @description Number of keys that completes an entry. Default: 32.
             * @example 8
             */
            max_digits?: number;
            /**
             * Format: int64
             * @description Time after the last key that completes an entry, in milliseconds; 0 waits for end or max_digits. Default: 2000.
             * @example 2000
             */
            timeout_ms?: number;
        } & {
            [key: string]: unknown;
        };
        DeliveryBody: {
            /**
             * Format: int64
             * @description Number of attempts so far.
             * @example 1
             */
            attempt_count: number;
            /**
             * @description Unique identifier of the event's call; null for call.test.
             * @example 0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12
             */
            call_id: string | null;
            /**
             * Format: date-time
             * @description Time the delivery was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /** @description Why the last attempt got no response; null if it got one. */
            error: string | null;
            /**
             * @description Type of the event.
             * @example call.completed
             */
            event: string;
            /**
             * @description Unique identifier of the event.
             * @example evt_0193a6f0000070008000000000000001
             */
            event_id: string;
            /**
             * Format: date-time
             * @description Time the delivery succeeded or finally failed (UTC); null before.
             * @example 2026-11-01T09:31:17.010000Z
             */
            finished_at: string | null;
            /**
             * @description Unique identifier of the delivery.
             * @example dlv_0193a6f0000070008000000000000001
             */
            id: string;
            /**
             * Format: int64
             * @description Maximum number of attempts.
             * @example 5
             */
            max_attempts: number;
            /**
             * Format: date-time
             * @description Time of the next attempt (UTC); null if there is none.
             * @example null
             */
            next_attempt_at: string | null;
            /**
             * Format: int64
             * @description HTTP status of the last response; null if there was none.
             * @example 200
             */
            response_status: number | null;
            /**
             * @description Status of the delivery.
             * @example delivered
             * @enum {string}
             */
            status: "pending" | "in_flight" | "delivered" | "failed";
        } & {
            [key: string]: unknown;
        };
        DeliveryDetailBody: {
            /**
             * Format: int64
             * @description Number of attempts so far.
             * @example 1
             */
            attempt_count: number;
            /** @description Attempts, oldest first. */
            attempts: components["schemas"]["AttemptBody"][];
            /**
             * @description Unique identifier of the event's call; null for call.test.
             * @example 0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12
             */
            call_id: string | null;
            /**
             * Format: date-time
             * @description Time the delivery was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /** @description Why the last attempt got no response; null if it got one. */
            error: string | null;
            /**
             * @description Type of the event.
             * @example call.completed
             */
            event: string;
            /** @description Field data of the event as sent, without transcript, context and metrics, which are added when a delivery is sent and not stored. null for the event of a call if the credential does not have the scope calls:read. */
            event_data: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Unique identifier of the event.
             * @example evt_0193a6f0000070008000000000000001
             */
            event_id: string;
            /**
             * Format: date-time
             * @description Time the delivery succeeded or finally failed (UTC); null before.
             * @example 2026-11-01T09:31:17.010000Z
             */
            finished_at: string | null;
            /**
             * @description Unique identifier of the delivery.
             * @example dlv_0193a6f0000070008000000000000001
             */
            id: string;
            /**
             * Format: int64
             * @description Maximum number of attempts.
             * @example 5
             */
            max_attempts: number;
            /**
             * Format: date-time
             * @description Time of the next attempt (UTC); null if there is none.
             * @example null
             */
            next_attempt_at: string | null;
            /**
             * Format: int64
             * @description HTTP status of the last response; null if there was none.
             * @example 200
             */
            response_status: number | null;
            /**
             * @description Status of the delivery.
             * @example delivered
             * @enum {string}
             */
            status: "pending" | "in_flight" | "delivered" | "failed";
        } & {
            [key: string]: unknown;
        };
        DeliveryPage: {
            /** @description Items on this page. */
            items: components["schemas"]["DeliveryBody"][];
            /**
             * Format: int64
             * @description Maximum number of items, as requested.
             * @example 50
             */
            limit: number;
            /**
             * Format: int64
             * @description Number of items skipped, as requested.
             * @example 0
             */
            offset: number;
            /**
             * Format: int64
             * @description Total number of matching deliveries. Pending and in-flight deliveries are counted up to 10,000.
             * @example 42
             */
            total: number;
        } & {
            [key: string]: unknown;
        };
        Detail: {
            /**
             * @description Dotted path of the field in the body, or name of the parameter.
             * @example config.nodes[2].agent_name
             */
            field: string;
            /**
             * @description Reason why the field is rejected.
             * @example is required
             */
            message: string;
        } & {
            [key: string]: unknown;
        };
        DirectionQuality: {
            /**
             * Format: double
             * @description Interarrival jitter (RFC 3550), in milliseconds; null if not reported.
             * @example 4.1
             */
            jitter_ms: number | null;
            /**
             * Format: double
             * @description Estimated mean opinion score (ITU-T G.107), from 1 to 4.5; null if not reported.
             * @example 4.3
             */
            mos: number | null;
            /**
             * Format: int64
             * @description Number of RTP packets that were sent in this direction.
             * @example 3600
             */
            packets: number;
            /**
             * Format: int64
             * @description Number of these packets that did not arrive; null if not reported.
             * @example 9
             */
            packets_lost: number | null;
        } & {
            [key: string]: unknown;
        };
        Ended: {
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             */
            call_id: string;
            /**
             * @description Status with which the call ended.
             * @example completed
             * @enum {string}
             */
            final_status: "completed" | "failed" | "disconnected" | "timeout";
        } & {
            [key: string]: unknown;
        };
        Envelope: {
            /** @description The error; absent if there was none. */
            error: components["schemas"]["ProblemBody"];
        } & {
            [key: string]: unknown;
        };
        ErrorLogItem: {
            /**
             * @description Name of the agent concerned.
             * @example front-desk
             */
            agent: string | null;
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             */
            call_id: string;
            /**
             * @description Additional details.
             * @example {
             *       "attempt": 2
             *     }
             */
            details: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: uuid
             * @description Unique identifier of the error.
             */
            id: string;
            /**
             * @description Severity. error: the call was affected; warning: it was not.
             * @enum {string}
             */
            level: "error" | "warning";
            /**
             * @description Human-readable description of the error.
             * @example deepgram did not answer in time
             */
            message: string;
            /**
             * @description Component in which the error occurred.
             * @enum {string}
             */
            service: "stt" | "llm" | "tts" | "workflow" | "tool" | "webhook";
            /**
             * Format: date-time
             * @description Time of the message (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            timestamp: string;
        } & {
            [key: string]: unknown;
        };
        ErrorLogPage: {
            /** @description Items on this page. */
            items: components["schemas"]["ErrorLogItem"][];
            /**
             * Format: int64
             * @description Maximum number of items, as requested.
             * @example 50
             */
            limit: number;
            /**
             * Format: int64
             * @description Number of items skipped, as requested.
             * @example 0
             */
            offset: number;
            /**
             * Format: int64
             * @description Total number of items.
             * @example 42
             */
            total: number;
        } & {
            [key: string]: unknown;
        };
        EvaluateConditionInBody: {
            /**
             * @description Condition: an expression over user, call, workflow and flags.
             * @example user.age >= 18
             */
            condition: string;
            /**
             * @description Sample context with user, call, workflow and flags. At most 64 KiB.
             * @example {
             *       "user": {
             *         "age": 30
             *       }
             *     }
             */
            context?: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        Handoff: {
            /**
             * @description Condition of the handoff: an expression over user, workflow and flags. Default: always offered.
             * @example {{flags.verified}}
             */
            condition?: string;
            /**
             * @description Context keys passed to the agent.
             * @example [
             *       "order_id"
             *     ]
             */
            context_pass?: string[];
            /**
             * @description Name of an agent.
             * @example billing
             */
            target_agent: string;
        } & {
            [key: string]: unknown;
        };
        HealthBody: {
            /** @description States of the dependencies. */
            checks: components["schemas"]["HealthBodyChecksStruct"];
            /** @description The error; absent if there was none. */
            error?: components["schemas"]["ProblemBody"];
            /**
             * @description Current status.
             * @enum {string}
             */
            status: "healthy" | "degraded" | "unhealthy";
            /**
             * Format: date-time
             * @description Time of the message (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            timestamp: string;
            /**
             * @description Version of the server.
             * @example 1.4.0
             */
            version: string;
        } & {
            [key: string]: unknown;
        };
        HealthBodyChecksStruct: {
            /** @description State of the database. */
            database: components["schemas"]["CheckBody"];
            /** @description Disk of the data folder: unhealthy when it is nearly full. */
            disk?: components["schemas"]["CheckBody"];
            /** @description Media server: unhealthy when it does not respond or rejects the API key. */
            media?: components["schemas"]["CheckBody"];
            /** @description SIP gateway of this process: unhealthy when it does not respond. Without one, those of other processes: unhealthy when none of them has been registered for 15 seconds. */
            phone?: components["schemas"]["CheckBody"];
            /** @description State of Redis. */
            redis: components["schemas"]["CheckBody"];
            /** @description Workers: unhealthy when none has been registered for 30 seconds. */
            workers?: components["schemas"]["CheckBody"];
        } & {
            [key: string]: unknown;
        };
        Heartbeat: {
            /**
             * Format: date-time
             * @description Time of the message (UTC).
             */
            timestamp: string;
        } & {
            [key: string]: unknown;
        };
        ImportedBody: {
            /**
             * Format: int64
             * @description Number of templates created.
             * @example 2
             */
            created: number;
            /** @description Errors of the skipped templates. */
            errors: components["schemas"]["Detail"][];
            /**
             * Format: int64
             * @description Number of templates replaced.
             * @example 1
             */
            updated: number;
        } & {
            [key: string]: unknown;
        };
        IngestBody: {
            /** @description Name of the agent to run. Give either this or workflow_slug. */
            agent_slug?: string | null;
            /**
             * @description Your own data, stored with the call and sent with its events. At most 64 KiB.
             * @example {
             *       "order": "4711"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Phone number to dial, in E.164 format, or as it is dialled in the trunk's default_country. An extension or a SIP URI (sip:alice@pbx.example) if the trunk has allow_uris. With a number the call_type is sip, without one voip.
             * @example +4930123456
             */
            phone_number?: string | null;
            /**
             * @description SIP headers added to the call's INVITE, of those in the trunk's headers_out. Only with a phone_number. Encrypted at rest.
             * @example {
             *       "X-Order": "4711"
             *     }
             */
            sip_headers?: {
                [key: string]: string;
            };
            /**
             * @description Data about the user, available to templates as {{user.*}}. At most 64 KiB; encrypted at rest.
             * @example {
             *       "name": "Ann"
             *     }
             */
            user_context?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Your identifier of the user.
             * @example customer-4711
             */
            user_id?: string | null;
            /**
             * @description Slug of the workflow to run. Give either this or agent_slug.
             * @example demo
             */
            workflow_slug?: string | null;
        } & {
            [key: string]: unknown;
        };
        ItemsBodyLimitBody: {
            /** @description Items on this page. */
            items: components["schemas"]["LimitBody"][];
        } & {
            [key: string]: unknown;
        };
        ItemsBodyProviderBody: {
            /** @description Items on this page. */
            items: components["schemas"]["ProviderBody"][];
        } & {
            [key: string]: unknown;
        };
        ItemsBodyProviderKeyBody: {
            /** @description Items on this page. */
            items: components["schemas"]["ProviderKeyBody"][];
        } & {
            [key: string]: unknown;
        };
        KeyBody: {
            /**
             * Format: date-time
             * @description Time the API key was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * @description Environment of the key: live or test. Calls of a test key have livemode false.
             * @enum {string}
             */
            environment: "live" | "test";
            /**
             * Format: uuid
             * @description Unique identifier of the API key.
             */
            id: string;
            /**
             * @description Display name.
             * @example Backend
             */
            name: string;
            /**
             * @description First characters of the key, to identify it.
             * @example svc_live_4f1c9a
             */
            prefix: string;
            /**
             * Format: int64
             * @description Rate limit, in requests per minute.
             * @example 600
             */
            rate_limit: number;
            /**
             * @description Scopes of the credential: resource:action, resource:* or *.
             * @example [
             *       "calls:write",
             *       "calls:read"
             *     ]
             */
            scopes: string[];
        } & {
            [key: string]: unknown;
        };
        KeyCheckBody: {
            /**
             * @description Message of the vendor without the key, or the reason why there is none; empty if the key is accepted.
             * @example 401 Unauthorized: Invalid credentials.
             */
            message: string;
            /**
             * @description Whether the vendor accepted or refused the key; unknown if it could not be reached or its response is inconclusive.
             * @example refused
             * @enum {string}
             */
            result: "accepted" | "refused" | "unknown";
        } & {
            [key: string]: unknown;
        };
        KeyPage: {
            /** @description Items on this page. */
            items: components["schemas"]["KeyBody"][];
            /**
             * Format: int64
             * @description Maximum number of items, as requested.
             * @example 50
             */
            limit: number;
            /**
             * Format: int64
             * @description Number of items skipped, as requested.
             * @example 0
             */
            offset: number;
            /**
             * Format: int64
             * @description Total number of items.
             * @example 42
             */
            total: number;
        } & {
            [key: string]: unknown;
        };
        LLM: {
            /** @description Fallback: replaces the provider for the rest of the call when it fails. */
            fallback?: components["schemas"]["LLMFallback"];
            /**
             * Format: int64
             * @description Timeout for the first token of an answer, in milliseconds, after which the provider has failed and the fallback is used. Default: 8,000, or 10,000 without a fallback.
             * @example 4000
             */
            first_token_timeout_ms?: number;
            /**
             * Format: int64
             * @description Limit of the conversation that is sent to the model with each request, in characters; the oldest turns are left out. Default: 100,000.
             * @example 40000
             */
            history_characters?: number;
            /**
             * Format: int64
             * @description Maximum number of tokens per answer.
             * @example 300
             */
            max_tokens?: number;
            /**
             * @description Name of the model.
             * @example gpt-6-luna
             */
            model: string;
            /**
             * @description Name of a language model provider.
             * @example openai
             */
            provider: string;
            /**
             * @description How much the model reasons before it answers; the caller waits meanwhile. Default: the least that the model allows.
             * @example low
             * @enum {string}
             */
            reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
            /**
             * Format: double
             * @description Sampling temperature; 0 is the most deterministic.
             * @example 0.4
             */
            temperature?: number;
        } & {
            [key: string]: unknown;
        };
        LLMFallback: {
            /**
             * Format: int64
             * @description Maximum number of tokens per answer.
             * @example 300
             */
            max_tokens?: number;
            /**
             * @description Name of the model.
             * @example claude-sonnet-5-5
             */
            model: string;
            /**
             * @description Name of a language model provider.
             * @example anthropic
             */
            provider: string;
            /**
             * @description How much the model reasons before it answers. Default: the least that the model allows.
             * @example low
             * @enum {string}
             */
            reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
            /**
             * Format: double
             * @description Sampling temperature; 0 is the most deterministic.
             * @example 0.4
             */
            temperature?: number;
        } & {
            [key: string]: unknown;
        };
        LimitBody: {
            /**
             * Format: int64
             * @description Maximum value; null for no limit.
             * @example 5000
             */
            limit: number | null;
            /**
             * @description Name of the limit.
             * @example agents
             * @enum {string}
             */
            name: "agents" | "workflows" | "tools" | "prompts" | "api_keys" | "phone_numbers" | "sip_trunks" | "provider_keys" | "waiting_calls" | "active_calls" | "dispatches_per_minute" | "sse_streams" | "stored_bytes";
            /**
             * Format: int64
             * @description Current usage, counted up to 100,000 except stored_bytes; null for dispatches_per_minute and sse_streams, which each node counts.
             * @example 12
             */
            used: number | null;
        } & {
            [key: string]: unknown;
        };
        LoginInBody: {
            /**
             * @description E-mail address of the user.
             * @example demo@parley.local
             */
            email: string;
            /**
             * @description Password of the user.
             * @example correct horse battery staple
             */
            password: string;
        } & {
            [key: string]: unknown;
        };
        MeBody: {
            /**
             * @description Scopes of the credential: resource:action, resource:* or *.
             * @example [
             *       "calls:write",
             *       "calls:read"
             *     ]
             */
            scopes: string[];
            /** @description Tenant of the credential. */
            tenant: components["schemas"]["MeBodyTenantStruct"];
            /** @description The signed-in user; null for an API key. */
            user: components["schemas"]["UserBody"] | null;
        } & {
            [key: string]: unknown;
        };
        MeBodyTenantStruct: {
            /**
             * Format: uuid
             * @description Unique identifier of the tenant.
             */
            id: string;
            /**
             * @description Display name.
             * @example Acme
             */
            name: string;
        } & {
            [key: string]: unknown;
        };
        MediaServerBody: {
            /**
             * @description Whether the media server is this server's own, or an outside LiveKit.
             * @example embedded
             * @enum {string}
             */
            mode: "embedded" | "outside";
            /**
             * Format: int64
             * @description Port for callers' media over TCP; null for an outside LiveKit.
             * @example 7881
             */
            tcp_port: number | null;
            /**
             * Format: int64
             * @description Port for callers' media over UDP; null for an outside LiveKit.
             * @example 7882
             */
            udp_port: number | null;
        } & {
            [key: string]: unknown;
        };
        MetricsBody: {
            /**
             * Format: int64
             * @description Number of handoffs.
             * @example 1
             */
            agent_handoffs: number;
            /**
             * Format: int64
             * @description Duration since started_at, in seconds: until the end, or until now for an active call; 0 before it.
             * @example 72
             */
            duration_seconds: number;
            /**
             * Format: double
             * @description Average time from the prompt to the first token, in milliseconds.
             * @example 320.2
             */
            llm_latency_ms: number;
            /**
             * Format: double
             * @description Average time from the end of the caller's speech to the final transcript, in milliseconds.
             * @example 180.5
             */
            stt_latency_ms: number;
            /**
             * Format: int64
             * @description Number of input and output tokens of language models, including greetings and discarded answers, as reported by the providers.
             * @example 1840
             */
            total_tokens: number;
            /**
             * Format: double
             * @description Average time from the first text to the first audio, in milliseconds.
             * @example 140.8
             */
            tts_latency_ms: number;
        } & {
            [key: string]: unknown;
        };
        MomentBody: {
            /**
             * @description Name of the current agent; for handoff, the new agent.
             * @example front-desk
             */
            agent?: string;
            /**
             * @description For tool_call: what the model read as the tool's result, the first 4 KiB. Values of the user_context are masked.
             * @example The order was shipped.
             */
            answer?: string;
            /**
             * @description For tool_call: arguments of the tool. Values of the user_context are masked.
             * @example {
             *       "number": "4711"
             *     }
             */
            arguments?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description For worker_lost, taken_over, agent_rejoined and caller_rejoined: why the worker, or the connection, was lost. For agent_interrupted, agent_resumed and overlap_ignored: what was recognised of the caller while the agent spoke. echo: the agent's own voice; noise: sound without a word; backchannel: words that require no answer, such as mm-hm; word: a recognised word; sure: speech before a word of it was recognised.
             * @enum {string}
             */
            cause?: "process_died" | "lease_lapsed" | "server_restart" | "given_back" | "signalling_lost" | "room_lost" | "echo" | "noise" | "backchannel" | "word" | "sure";
            /**
             * @description For error: additional details.
             * @example {
             *       "attempt": 2
             *     }
             */
            details?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: double
             * @description For tool_call: duration of the tool, in milliseconds.
             * @example 84
             */
            duration_ms?: number;
            /**
             * Format: double
             * @description For turn: time from the end of the caller's speech to the end of the turn, in milliseconds.
             * @example 240
             */
            endpointing_ms?: number;
            /**
             * Format: int64
             * @description For turn: number of input tokens of the language model.
             * @example 410
             */
            input_tokens?: number;
            /** @description For turn: whether the caller interrupted the answer. */
            interrupted?: boolean;
            /**
             * @description For error: severity. error: the call was affected; warning: it was not.
             * @enum {string}
             */
            level?: "error" | "warning";
            /**
             * Format: double
             * @description For turn: time from the prompt to the first token, in milliseconds.
             * @example 320.2
             */
            llm_latency_ms?: number;
            /**
             * @description For turn: the language model provider.
             * @example openai
             */
            llm_provider?: string;
            /**
             * @description For error: human-readable description.
             * @example connected
             */
            message?: string;
            /**
             * @description For tool_call: name of the tool.
             * @example Support
             */
            name?: string;
            /**
             * Format: int64
             * @description For turn: number of output tokens of the language model.
             * @example 36
             */
            output_tokens?: number;
            /**
             * @description For handoff: name of the previous agent.
             * @example front-desk
             */
            previous_agent?: string;
            /** @description For quality: the last measurement of the phone call's audio. */
            quality?: components["schemas"]["Quality"];
            /**
             * @description For error: component in which it occurred.
             * @enum {string}
             */
            service?: "stt" | "llm" | "tts" | "workflow" | "tool" | "webhook";
            /**
             * Format: int64
             * @description For status: the SIP status with which the dialled number was not reached; null if there was none.
             * @example 486
             */
            sip_status?: number;
            /**
             * @description For status: the new status of the call.
             * @enum {string}
             */
            status?: "pending" | "active" | "completed" | "failed" | "disconnected" | "timeout";
            /**
             * @description For status: the reason of the status; null if there is none.
             * @example caller_hangup
             */
            status_reason?: string;
            /**
             * Format: double
             * @description For turn: time from the end of the caller's speech to the final transcript, in milliseconds.
             * @example 180.5
             */
            stt_latency_ms?: number;
            /**
             * @description For turn: the speech-to-text provider.
             * @example deepgram
             */
            stt_provider?: string;
            /**
             * Format: date-time
             * @description Time of the message (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            timestamp: string;
            /**
             * Format: double
             * @description For turn: time from the first text to the first audio, in milliseconds.
             * @example 140.8
             */
            tts_latency_ms?: number;
            /**
             * @description For turn: the text-to-speech provider.
             * @example cartesia
             */
            tts_provider?: string;
            /**
             * @description Type of the item, which determines the other fields.
             * @enum {string}
             */
            type: "status" | "handoff" | "tool_call" | "turn" | "error" | "worker_lost" | "taken_over" | "agent_rejoined" | "caller_rejoined" | "call_held" | "call_resumed" | "transfer_requested" | "transfer_completed" | "transfer_failed" | "leg_replaced" | "quality" | "agent_interrupted" | "agent_resumed" | "overlap_ignored";
            /**
             * Format: double
             * @description For turn: time from the end of the caller's speech to the agent's first audio, in milliseconds.
             * @example 690.4
             */
            voice_to_voice_ms?: number;
        } & {
            [key: string]: unknown;
        };
        NewKeyBody: {
            /**
             * Format: date-time
             * @description Time the API key was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * @description Environment of the key: live or test. Calls of a test key have livemode false.
             * @enum {string}
             */
            environment: "live" | "test";
            /**
             * Format: uuid
             * @description Unique identifier of the API key.
             */
            id: string;
            /**
             * @description The API key. Returned only in this response.
             * @example svc_live_4f1c9a0d72e65b3884a1c07f95de263b1f0a8c47d3e96b5210fa84c7b39d61e0a1b2c3d4
             */
            key: string;
            /**
             * @description Display name.
             * @example Backend
             */
            name: string;
            /**
             * @description First characters of the key, to identify it.
             * @example svc_live_4f1c9a
             */
            prefix: string;
            /**
             * Format: int64
             * @description Rate limit, in requests per minute.
             * @example 600
             */
            rate_limit: number;
            /**
             * @description Scopes of the credential: resource:action, resource:* or *.
             * @example [
             *       "calls:write",
             *       "calls:read"
             *     ]
             */
            scopes: string[];
        } & {
            [key: string]: unknown;
        };
        Node: {
            /**
             * @description Name of an existing agent.
             * @example front-desk
             */
            agent_name: string;
            /**
             * @description Mapping of the agent's inputs to context paths.
             * @example {
             *       "customer": "workflow.customer_id"
             *     }
             */
            context_mapping?: {
                [key: string]: string;
            };
            /**
             * @description Unique identifier of the node within the workflow.
             * @example intake
             */
            id: string;
            /** @description Whether calls start at the node; true for exactly one node. */
            is_entry?: boolean;
            /** @description Whether calls may end at the node; true for at least one node. */
            is_exit?: boolean;
            /** @description Position of the node in an editor. */
            position?: components["schemas"]["Position"];
            /**
             * @description Condition for skipping the node: an expression over user, workflow and flags.
             * @example {{flags.verified}}
             */
            skip_condition?: string;
        } & {
            [key: string]: unknown;
        };
        PageAgentItem: {
            /** @description Items on this page. */
            items: components["schemas"]["AgentItem"][];
            /**
             * Format: int64
             * @description Maximum number of items, as requested.
             * @example 50
             */
            limit: number;
            /**
             * Format: int64
             * @description Number of items skipped, as requested.
             * @example 0
             */
            offset: number;
            /**
             * Format: int64
             * @description Total number of items.
             * @example 42
             */
            total: number;
        } & {
            [key: string]: unknown;
        };
        PageAuditEntryBody: {
            /** @description Items on this page. */
            items: components["schemas"]["AuditEntryBody"][];
            /**
             * Format: int64
             * @description Maximum number of items, as requested.
             * @example 50
             */
            limit: number;
            /**
             * Format: int64
             * @description Number of items skipped, as requested.
             * @example 0
             */
            offset: number;
            /**
             * Format: int64
             * @description Total number of items.
             * @example 42
             */
            total: number;
        } & {
            [key: string]: unknown;
        };
        PagePhoneNumberBody: {
            /** @description Items on this page. */
            items: components["schemas"]["PhoneNumberBody"][];
            /**
             * Format: int64
             * @description Maximum number of items, as requested.
             * @example 50
             */
            limit: number;
            /**
             * Format: int64
             * @description Number of items skipped, as requested.
             * @example 0
             */
            offset: number;
            /**
             * Format: int64
             * @description Total number of items.
             * @example 42
             */
            total: number;
        } & {
            [key: string]: unknown;
        };
        PagePromptItem: {
            /** @description Items on this page. */
            items: components["schemas"]["PromptItem"][];
            /**
             * Format: int64
             * @description Maximum number of items, as requested.
             * @example 50
             */
            limit: number;
            /**
             * Format: int64
             * @description Number of items skipped, as requested.
             * @example 0
             */
            offset: number;
            /**
             * Format: int64
             * @description Total number of items.
             * @example 42
             */
            total: number;
        } & {
            [key: string]: unknown;
        };
        PagePromptVersionBody: {
            /** @description Items on this page. */
            items: components["schemas"]["PromptVersionBody"][];
            /**
             * Format: int64
             * @description Maximum number of items, as requested.
             * @example 50
             */
            limit: number;
            /**
             * Format: int64
             * @description Number of items skipped, as requested.
             * @example 0
             */
            offset: number;
            /**
             * Format: int64
             * @description Total number of items.
             * @example 42
             */
            total: number;
        } & {
            [key: string]: unknown;
        };
        PageToolItem: {
            /** @description Items on this page. */
            items: components["schemas"]["ToolItem"][];
            /**
             * Format: int64
             * @description Maximum number of items, as requested.
             * @example 50
             */
            limit: number;
            /**
             * Format: int64
             * @description Number of items skipped, as requested.
             * @example 0
             */
            offset: number;
            /**
             * Format: int64
             * @description Total number of items.
             * @example 42
             */
            total: number;
        } & {
            [key: string]: unknown;
        };
        PageTrunkBody: {
            /** @description Items on this page. */
            items: components["schemas"]["TrunkBody"][];
            /**
             * Format: int64
             * @description Maximum number of items, as requested.
             * @example 50
             */
            limit: number;
            /**
             * Format: int64
             * @description Number of items skipped, as requested.
             * @example 0
             */
            offset: number;
            /**
             * Format: int64
             * @description Total number of items.
             * @example 42
             */
            total: number;
        } & {
            [key: string]: unknown;
        };
        PageWorkflowItem: {
            /** @description Items on this page. */
            items: components["schemas"]["WorkflowItem"][];
            /**
             * Format: int64
             * @description Maximum number of items, as requested.
             * @example 50
             */
            limit: number;
            /**
             * Format: int64
             * @description Number of items skipped, as requested.
             * @example 0
             */
            offset: number;
            /**
             * Format: int64
             * @description Total number of items.
             * @example 42
             */
            total: number;
        } & {
            [key: string]: unknown;
        };
        Parameter: {
            /** @description Default value. */
            default?: unknown;
            /**
             * @description Description of the parameter, for the language model.
             * @example The order's number, as on the invoice.
             */
            description?: string;
            /** @description Permitted values. */
            enum?: unknown[];
            /**
             * @description Name of the parameter, unique within the tool.
             * @example order_id
             */
            name: string;
            /** @description Whether the parameter is required. Default: false. */
            required?: boolean;
            /**
             * @description JSON type of the value.
             * @example string
             * @enum {string}
             */
            type: "string" | "number" | "integer" | "boolean" | "object" | "array";
        } & {
            [key: string]: unknown;
        };
        PhoneNumberBody: {
            /**
             * @description Name of the agent that answers; null if a workflow does.
             * @example null
             */
            agent_name: string | null;
            /**
             * Format: date-time
             * @description Time the phone number was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * Format: uuid
             * @description Unique identifier of the phone number.
             */
            id: string;
            /**
             * @description Phone number in E.164 format.
             * @example +4930123456
             */
            number: string;
            /**
             * Format: uuid
             * @description Unique identifier of the trunk that delivers the number's calls.
             */
            trunk_id: string | null;
            /**
             * @description Slug of the workflow; null for a call of a single agent.
             * @example demo
             */
            workflow_slug: string | null;
        } & {
            [key: string]: unknown;
        };
        Position: {
            /**
             * Format: double
             * @description Horizontal position, to the right.
             * @example 120
             */
            x: number;
            /**
             * Format: double
             * @description Vertical position, downwards.
             * @example 80
             */
            y: number;
        } & {
            [key: string]: unknown;
        };
        PreviewBody: {
            /**
             * @description Language code of the text: the requested language or its fallback.
             * @example en
             */
            language: string;
            /**
             * @description Paths without a value, and required variables without a value.
             * @example []
             */
            missing: string[];
            /**
             * @description The rendered text.
             * @example Hello Ann!
             */
            text: string;
        } & {
            [key: string]: unknown;
        };
        PreviewPromptInBody: {
            /**
             * @description Sample context: user, call, workflow, flags, or the variables themselves. At most 64 KiB.
             * @example {
             *       "customer_name": "Ann"
             *     }
             */
            context?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Language code. Default: user.language of the context, or else en.
             * @example de
             */
            language?: string;
        } & {
            [key: string]: unknown;
        };
        ProblemBody: {
            /**
             * @description Machine-readable error code.
             * @example validation_error
             */
            code: string;
            /** @description Invalid fields, by dotted path. */
            details?: components["schemas"]["Detail"][];
            /**
             * @description Human-readable description of the error.
             * @example connected
             */
            message: string;
        } & {
            [key: string]: unknown;
        };
        Prompt: {
            /**
             * @description Greeting that the agent speaks first. May contain templates, such as {{user.name}}.
             * @example Hello {{user.name}}, how can I help you?
             */
            greeting?: string;
            /**
             * @description System prompt. May contain templates, such as {{user.name}}.
             * @example You are the friendly front desk of a dentist.
             */
            system: string;
        } & {
            [key: string]: unknown;
        };
        PromptBody: {
            /**
             * @description Purpose of the template.
             * @enum {string}
             */
            category: "greeting" | "closing" | "instruction" | "error";
            /**
             * @description Texts by language code.
             * @example {
             *       "en": "Hello {{customer_name}}!"
             *     }
             */
            content: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description Time the template was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * @description Description of the template.
             * @example How a call begins.
             */
            description: string | null;
            /**
             * Format: uuid
             * @description Unique identifier of the template.
             */
            id: string;
            /**
             * @description Whether the template is a default of the platform.
             * @example false
             */
            is_system: boolean;
            /**
             * @description Your own data.
             * @example {
             *       "interruptible": true,
             *       "voice_speed": 1.1
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * @description Display name.
             * @example Welcome
             */
            name: string;
            /**
             * @description Unique identifier in paths.
             * @example welcome
             */
            slug: string;
            /**
             * Format: uuid
             * @description Unique identifier of the template; null for a default of the platform.
             */
            tenant_id: string | null;
            /**
             * Format: date-time
             * @description Time the template was last changed (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            updated_at: string;
            /** @description Variables that the texts refer to. */
            variables: components["schemas"]["Variable"][];
            /**
             * Format: int64
             * @description Version number, from 1, incremented with every change.
             * @example 2
             */
            version: number;
        } & {
            [key: string]: unknown;
        };
        PromptFields: {
            /**
             * @description Purpose of the template.
             * @default instruction
             * @enum {string}
             */
            category?: "greeting" | "closing" | "instruction" | "error";
            /**
             * @description Texts by language code, at least one. Texts may contain {{path}} references.
             * @example {
             *       "en": "Hello {{customer_name}}!"
             *     }
             */
            content: {
                [key: string]: string;
            };
            /**
             * @description Description.
             * @example How a call begins.
             */
            description?: string | null;
            /**
             * @description Your own data, such as interruptible and voice_speed. At most 64 KiB.
             * @example {
             *       "interruptible": true,
             *       "voice_speed": 1.1
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * @description Display name.
             * @example Welcome
             */
            name: string;
            /**
             * @description Unique identifier of the template within the tenant, used in paths and references. Cannot be changed; import and export are reserved.
             * @example welcome
             */
            slug: string;
            /** @description Variables that the texts refer to. */
            variables?: components["schemas"]["Variable"][];
        } & {
            [key: string]: unknown;
        };
        PromptItem: {
            /**
             * @description Purpose of the template.
             * @enum {string}
             */
            category: "greeting" | "closing" | "instruction" | "error";
            /**
             * Format: date-time
             * @description Time the template was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * @description Description of the template.
             * @example How a call begins.
             */
            description: string | null;
            /**
             * Format: uuid
             * @description Unique identifier of the template.
             */
            id: string;
            /**
             * @description Whether the template is a default of the platform.
             * @example false
             */
            is_system: boolean;
            /**
             * @description Display name.
             * @example Welcome
             */
            name: string;
            /**
             * @description Unique identifier in paths.
             * @example welcome
             */
            slug: string;
            /**
             * Format: uuid
             * @description Unique identifier of the tenant.
             */
            tenant_id: string | null;
            /**
             * Format: date-time
             * @description Time the template was last changed (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            updated_at: string;
            /**
             * Format: int64
             * @description Version number, from 1, incremented with every change.
             * @example 2
             */
            version: number;
        } & {
            [key: string]: unknown;
        };
        PromptTextsBody: {
            /**
             * @description Texts by language code.
             * @example {
             *       "en": "Parley Inc."
             *     }
             */
            content: {
                [key: string]: string;
            };
            /**
             * @description Unique identifier of the template within the tenant.
             * @example company
             */
            slug: string;
        } & {
            [key: string]: unknown;
        };
        PromptVersionBody: {
            /**
             * @description Purpose of the template.
             * @enum {string}
             */
            category: "greeting" | "closing" | "instruction" | "error";
            /**
             * @description Texts by language code.
             * @example {
             *       "en": "Hello {{customer_name}}!"
             *     }
             */
            content: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description Time the version was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * @description Description.
             * @example How a call begins.
             */
            description: string | null;
            /**
             * @description Your own data.
             * @example {
             *       "interruptible": true,
             *       "voice_speed": 1.1
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * @description Display name.
             * @example Welcome
             */
            name: string;
            /** @description Variables that the texts refer to. */
            variables: components["schemas"]["Variable"][];
            /**
             * Format: int64
             * @description Version number, from 1, incremented with every change.
             * @example 2
             */
            version: number;
        } & {
            [key: string]: unknown;
        };
        PromptsBody: {
            /** @description Prompt templates. */
            templates: components["schemas"]["PromptFields"][];
        } & {
            [key: string]: unknown;
        };
        ProviderBody: {
            /** @description Whether the provider is for demonstrations and tests only. */
            demo: boolean;
            /**
             * @description Key that your calls use: your own, the platform's, none because none is needed, or missing.
             * @example tenant
             * @enum {string}
             */
            key_source: "tenant" | "platform" | "not_needed" | "missing";
            /**
             * @description Type of the provider: stt (speech to text), tts (text to speech) or llm (language model).
             * @enum {string}
             */
            kind: "stt" | "tts" | "llm" | "realtime";
            /**
             * @description Display name of the provider.
             * @example Deepgram
             */
            label: string;
            /**
             * @description What must be set up before calls can use the provider; absent if nothing.
             * @example the stt provider "deepgram" is not set up on this server: it needs DEEPGRAM_API_KEY or the tenant's own key
             */
            lacks?: string;
            /** @description The same models in the same order, with the settings that each supports. */
            model_details: components["schemas"]["ProviderModelBody"][];
            /**
             * @description Models known to work, the default first. Others are accepted with a warning.
             * @example [
             *       "nova-3"
             *     ]
             */
            models: string[];
            /**
             * @description Identifier of the provider in agent configurations.
             * @example deepgram
             */
            name: string;
            /** @description Voices of the provider; empty where any voice of your account can be used. */
            voices?: string[];
        } & {
            [key: string]: unknown;
        };
        ProviderKeyBody: {
            /**
             * @description Address of the server that the key is sent to; empty for the provider's own.
             * @example https://models.example.com/v1
             */
            base_url: string;
            /**
             * Format: date-time
             * @description Time the provider key was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * @description Last four characters of the key; fewer for a key of less than eight.
             * @example a1b2
             */
            hint: string;
            /**
             * Format: uuid
             * @description Unique identifier of the provider key.
             */
            id: string;
            /** @description Whether it is the default. */
            is_default: boolean;
            /**
             * @description Identifier of the provider in agent configurations.
             * @example deepgram
             */
            provider_name: string;
            /**
             * @description Type of the provider: stt (speech to text), tts (text to speech) or llm (language model).
             * @enum {string}
             */
            provider_type: "stt" | "llm" | "tts";
        } & {
            [key: string]: unknown;
        };
        ProviderLatencyItem: {
            /**
             * Format: double
             * @description Average latency, in milliseconds.
             * @example 181.3
             */
            avg_latency_ms: number;
            /**
             * Format: int64
             * @description Number of calls with this measurement.
             * @example 118
             */
            call_count: number;
            /**
             * Format: double
             * @description Latencies by component, in milliseconds. Percentiles are accurate to 1 %.
             * @example 172
             */
            p50_latency_ms: number;
            /**
             * Format: double
             * @description 95th percentile of the latency, in milliseconds.
             * @example 290
             */
            p95_latency_ms: number;
            /**
             * Format: double
             * @description 99th percentile of the latency, in milliseconds.
             * @example 410
             */
            p99_latency_ms: number;
            /**
             * @description Identifier of the provider in agent configurations.
             * @example deepgram
             */
            provider_name: string;
            /**
             * @description Type of the provider: stt (speech to text), tts (text to speech) or llm (language model).
             * @enum {string}
             */
            provider_type: "stt" | "llm" | "tts";
        } & {
            [key: string]: unknown;
        };
        ProviderModelBody: {
            /**
             * @description Language codes that a speech model supports, in the vendor's spelling; absent if unknown.
             * @example [
             *       "en",
             *       "de"
             *     ]
             */
            languages?: string[];
            /**
             * @description Identifier of the model in agent configurations.
             * @example nova-3
             */
            name: string;
            /** @description Optional settings that the model supports. Others are not sent, with a warning when the agent is saved. Absent if unknown: then all are sent. */
            parameters?: components["schemas"]["ProviderParameter"][];
            /**
             * Format: date
             * @description Date on which the vendor switches the model off; absent if none is announced.
             * @example 2027-01-14
             */
            shutdown_date?: string;
            /**
             * @description Whether the vendor serves the model: without an announced end, until its shutdown date, or no longer.
             * @example current
             * @enum {string}
             */
            status: "current" | "deprecated" | "shut_down";
        } & {
            [key: string]: unknown;
        };
        ProviderParameter: {
            /**
             * Format: int64
             * @description Maximum number of entries of a list.
             * @example 100
             */
            max_items?: number;
            /**
             * Format: int64
             * @description Maximum number of characters of an entry of a list. Longer ones are not sent.
             * @example 50
             */
            max_length?: number;
            /**
             * Format: double
             * @description Highest value. Higher ones are sent as this one.
             * @example 1.5
             */
            maximum?: number;
            /**
             * Format: double
             * @description Lowest value. Lower ones are sent as this one.
             * @example 0.6
             */
            minimum?: number;
            /**
             * @description Name of the setting in an agent's configuration.
             * @enum {string}
             */
            name: "temperature" | "max_tokens" | "reasoning_effort" | "tools" | "speed" | "emotion" | "text_normalization" | "key_terms";
            /**
             * @description Permitted values.
             * @example [
             *       "none",
             *       "low"
             *     ]
             */
            values?: string[];
        } & {
            [key: string]: unknown;
        };
        Quality: {
            /**
             * @description Codec of the audio, by its name in SDP.
             * @example PCMA
             */
            codec: string;
            /**
             * Format: date-time
             * @description Time of the measurement (UTC).
             */
            measured_at: string;
            /** @description Audio from the phone, as measured by the SIP gateway. */
            received: components["schemas"]["DirectionQuality"];
            /**
             * Format: double
             * @description Round-trip time to the phone, in milliseconds; null if it sends no RTCP reports.
             * @example 38.2
             */
            round_trip_ms: number | null;
            /** @description Audio to the phone, as reported by its RTCP. */
            sent: components["schemas"]["DirectionQuality"];
        } & {
            [key: string]: unknown;
        };
        ReadyBody: {
            /**
             * @description State of the database.
             * @enum {string}
             */
            database: "healthy" | "unhealthy";
            /** @description The error; absent if there was none. */
            error?: components["schemas"]["ProblemBody"];
            /** @description Failing checks of GET /health. With workers or phone alone the process is ready: it serves all requests but new calls, or new phone calls. */
            failing?: ("database" | "disk" | "workers" | "media" | "phone")[];
            /**
             * @description Current status.
             * @enum {string}
             */
            status: "ready" | "draining" | "unhealthy";
            /**
             * Format: date-time
             * @description Time of the message (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            timestamp: string;
        } & {
            [key: string]: unknown;
        };
        Realtime: {
            /**
             * @description Name of the model.
             * @example gpt-realtime
             */
            model: string;
            /**
             * @description Name of a speech-to-speech provider.
             * @example openai
             */
            provider: string;
            /**
             * @description Voice of the model. Default: the provider's.
             * @example marin
             */
            voice?: string;
        } & {
            [key: string]: unknown;
        };
        ReceiptBody: {
            /**
             * @description Unique identifier of the delivery.
             * @example dlv_0193a6f0000070008000000000000001
             */
            delivery_id: string;
            /**
             * @description Unique identifier of the event.
             * @example evt_0193a6f0000070008000000000000001
             */
            event_id: string;
        } & {
            [key: string]: unknown;
        };
        RefreshInBody: {
            /**
             * @description Refresh token, for one renewal of the session.
             * @example the-refresh-token-of-the-last-answer
             */
            refresh_token: string;
        } & {
            [key: string]: unknown;
        };
        ReplayFailedInBody: {
            /**
             * Format: date-time
             * @description Only deliveries created at or after this time.
             * @example 2026-11-01T09:00:00Z
             */
            created_after: string;
            /**
             * Format: date-time
             * @description Only deliveries created before this time. Default: now.
             * @example 2026-11-01T12:00:00Z
             */
            created_before?: string;
            /**
             * @description Filter by event type.
             * @example call.completed
             * @enum {string}
             */
            event?: "call.started" | "call.connected" | "call.completed" | "call.failed" | "call.disconnected" | "call.timeout" | "call.agent.changed" | "call.held" | "call.resumed";
        } & {
            [key: string]: unknown;
        };
        ReplayedBody: {
            /**
             * @description Whether more deliveries match; repeat the request to replay them.
             * @example false
             */
            has_more: boolean;
            /**
             * Format: int64
             * @description Number of deliveries that were queued.
             * @example 212
             */
            replayed: number;
        } & {
            [key: string]: unknown;
        };
        RollbackPromptInBody: {
            /**
             * Format: int64
             * @description Version to restore.
             * @example 1
             */
            version: number;
        } & {
            [key: string]: unknown;
        };
        RotateSecretInBody: {
            /**
             * Format: int64
             * @description How long the previous secret also signs deliveries, in seconds. Default: 0.
             * @example 3600
             */
            overlap_seconds?: number;
        } & {
            [key: string]: unknown;
        };
        STT: {
            /** @description Fallback: replaces the provider for the rest of the call when it fails. */
            fallback?: components["schemas"]["STTFallback"];
            /**
             * @description Names and words that callers are expected to say, for the provider and its fallback. Models without support ignore them, with a warning when the agent is saved.
             * @example [
             *       "Parley",
             *       "Dr. Okonkwo"
             *     ]
             */
            key_terms?: string[];
            /**
             * @description Language code. Default: default_language.
             * @example en
             */
            language?: string;
            /**
             * @description Name of the model.
             * @example nova-3
             */
            model: string;
            /**
             * @description Name of a speech-to-text provider.
             * @example deepgram
             */
            provider: string;
        } & {
            [key: string]: unknown;
        };
        STTFallback: {
            /**
             * @description Language code. Default: default_language.
             * @example en
             */
            language?: string;
            /**
             * @description Name of the model.
             * @example universal-streaming-multilingual
             */
            model: string;
            /**
             * @description Name of a speech-to-text provider.
             * @example assemblyai
             */
            provider: string;
        } & {
            [key: string]: unknown;
        };
        SessionBody: {
            /**
             * @description Access token, to be sent as Authorization: Bearer.
             * @example eyJhbGciOiJIUzI1NiJ9.eyJ0eXBlIjoiYWNjZXNzIn0.signature
             */
            access_token: string;
            /**
             * Format: int64
             * @description Lifetime of the access token, in seconds.
             * @example 1800
             */
            expires_in: number;
            /**
             * @description Refresh token, for one renewal of the session.
             * @example the-refresh-token-of-this-answer
             */
            refresh_token: string;
            /**
             * @description Type of the access token.
             * @enum {string}
             */
            token_type: "bearer";
        } & {
            [key: string]: unknown;
        };
        SipMessageBody: {
            /**
             * @description Whether the gateway received or sent the message.
             * @example received
             * @enum {string}
             */
            direction: "received" | "sent";
            /**
             * @description The message, the first 16 KiB. Credentials, media keys, pressed keys and the values of the trunk's own headers are masked.
             * @example SIP/2.0 200 OK
             *     CSeq: 1 INVITE
             */
            message: string;
            /**
             * @description IP address and port of the other side.
             * @example 203.0.113.7:5060
             */
            peer: string;
            /**
             * @description Call-ID of the message. A call that is transferred has one for each leg.
             * @example a84b4c76e66710@pbx.example.com
             */
            sip_call_id: string;
            /**
             * @description First line of the message.
             * @example SIP/2.0 200 OK
             */
            start_line: string;
            /**
             * Format: date-time
             * @description When the message was sent or received.
             * @example 2026-11-01T09:30:00.123456Z
             */
            timestamp: string;
            /**
             * @description Transport of the message.
             * @example udp
             * @enum {string}
             */
            transport: "udp" | "tcp" | "tls";
        } & {
            [key: string]: unknown;
        };
        StartCallBody: {
            /**
             * @description Type of the call: voip (WebRTC) or sip (telephone).
             * @default voip
             * @enum {string}
             */
            call_type?: "voip" | "sip";
            /**
             * @description Your own data, stored with the call and sent with its events. At most 64 KiB.
             * @example {
             *       "order": "4711"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Phone number to dial, in E.164 format, or as it is dialled in the trunk's default_country. An extension or a SIP URI (sip:alice@pbx.example) if the trunk has allow_uris. Required when call_type is sip; with voip it is stored with the call and not dialled.
             * @example +4930123456
             */
            phone_number?: string | null;
            /**
             * @description SIP headers added to the call's INVITE, of those in the trunk's headers_out. Only with call_type sip. Encrypted at rest.
             * @example {
             *       "X-Order": "4711"
             *     }
             */
            sip_headers?: {
                [key: string]: string;
            };
            /**
             * @description Data about the user, available to templates as {{user.*}}. At most 64 KiB; encrypted at rest.
             * @example {
             *       "name": "Ann"
             *     }
             */
            user_context?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Your identifier of the user.
             * @example customer-4711
             */
            user_id?: string | null;
            /**
             * @description Slug of the workflow to run.
             * @example demo
             */
            workflow_slug: string;
        } & {
            [key: string]: unknown;
        };
        StartedBody: {
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             */
            call_id: string;
            /**
             * @description Name of the call's room on the media server.
             * @example call-0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12
             */
            room_name: string;
            /**
             * @description Current status of the call.
             * @enum {string}
             */
            status: "pending" | "connecting" | "active" | "completed" | "failed" | "disconnected" | "timeout";
            /**
             * @description Join token for the caller, to connect to the call's room at url.
             * @example eyJhbGciOiJIUzI1NiJ9.eyJ2aWRlbyI6eyJyb29tSm9pbiI6dHJ1ZX19.signature
             */
            token: string;
            /**
             * @description WebSocket URL of the media server.
             * @example wss://voice.example.com
             */
            url: string;
            /** @description Problems that the call will have, such as a missing provider key. */
            warnings?: string[];
        } & {
            [key: string]: unknown;
        };
        SummaryBody: {
            /**
             * Format: int64
             * @description Number of open calls: with a period all of them, otherwise those in the range.
             * @example 1
             */
            active_calls: number;
            /**
             * Format: double
             * @description Average duration of answered calls that have ended, in seconds.
             * @example 84.2
             */
            avg_duration_seconds: number;
            /**
             * Format: double
             * @description Average time from the prompt to the first token, in milliseconds.
             * @example 320.2
             */
            avg_llm_latency_ms: number;
            /**
             * Format: double
             * @description Average time from the end of the caller's speech to the final transcript, in milliseconds.
             * @example 180.5
             */
            avg_stt_latency_ms: number;
            /**
             * Format: double
             * @description Average time from the first text to the first audio, in milliseconds.
             * @example 140.8
             */
            avg_tts_latency_ms: number;
            /**
             * Format: int64
             * @description Number of calls that ended normally.
             * @example 117
             */
            completed_calls: number;
            /**
             * Format: int64
             * @description Number of calls that never became active.
             * @example 2
             */
            failed_calls: number;
            /**
             * Format: double
             * @description Percentage of completed_calls in total_calls, with one decimal.
             * @example 97.5
             */
            success_rate: number;
            /**
             * Format: int64
             * @description Number of calls.
             * @example 120
             */
            total_calls: number;
            /**
             * Format: int64
             * @description Number of input and output tokens of language models, including greetings and discarded answers, as reported by the providers.
             * @example 1840
             */
            total_tokens: number;
        } & {
            [key: string]: unknown;
        };
        TTS: {
            /**
             * @description Emotion of the voice, for models that support it. GET /api/v1/providers lists the values. Default: the model's.
             * @example calm
             */
            emotion?: string;
            /** @description Fallback: replaces the provider for the rest of the call when it fails. */
            fallback?: components["schemas"]["TTSFallback"];
            /**
             * @description Model of the voice. Default: the provider's.
             * @example sonic-3
             */
            model?: string;
            /**
             * @description Name of a text-to-speech provider.
             * @example cartesia
             */
            provider: string;
            /**
             * Format: double
             * @description Speech rate. Default: 1 (normal).
             * @example 1
             */
            speed?: number;
            /**
             * @description Whether numbers, dates and phone numbers are read as words, for models that support it. Default: on where every plan of the vendor allows it, otherwise the vendor's.
             * @example auto
             * @enum {string}
             */
            text_normalization?: "auto" | "on" | "off";
            /**
             * @description Identifier of a voice of the provider.
             * @example f786b574-daa5-4673-aa0c-cbe3e8534c02
             */
            voice_id: string;
        } & {
            [key: string]: unknown;
        };
        TTSFallback: {
            /**
             * @description Emotion of the voice, for models that support it. Default: the model's.
             * @example calm
             */
            emotion?: string;
            /**
             * @description Model of the voice. Default: the provider's.
             * @example eleven_flash_v2_5
             */
            model?: string;
            /**
             * @description Name of a text-to-speech provider.
             * @example elevenlabs
             */
            provider: string;
            /**
             * Format: double
             * @description Speech rate. Default: 1 (normal).
             * @example 1
             */
            speed?: number;
            /**
             * @description Whether numbers, dates and phone numbers are read as words, for models that support it.
             * @example auto
             * @enum {string}
             */
            text_normalization?: "auto" | "on" | "off";
            /**
             * @description Identifier of a voice of the provider.
             * @example 21m00Tcm4TlvDq8ikWAM
             */
            voice_id: string;
        } & {
            [key: string]: unknown;
        };
        TestAgentBody: {
            /**
             * @description Name of the agent.
             * @example demo
             */
            agent_name: string;
            /** @description Configuration of the agent for this call only, in place of the stored one. The agent may be inactive, or not exist yet. Also requires the scope agents:write. */
            config?: components["schemas"]["AgentConfig"];
            /**
             * @description Data about the user, available to templates as {{user.*}}. At most 64 KiB; encrypted at rest.
             * @example {
             *       "name": "Ann"
             *     }
             */
            user_context?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Your identifier of the user.
             * @example customer-4711
             */
            user_id?: string | null;
        } & {
            [key: string]: unknown;
        };
        ToolBody: {
            /** @description Configuration of the tool. */
            config: components["schemas"]["ToolConfig"];
            /**
             * Format: date-time
             * @description Time the tool was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * @description Description of the tool.
             * @example Finds an order by its number.
             */
            description: string | null;
            /**
             * Format: uuid
             * @description Unique identifier of the tool.
             */
            id: string;
            /**
             * @description Unique name of the tool, used in paths.
             * @example look_up_order
             */
            name: string;
            /**
             * Format: date-time
             * @description Time the tool was last changed (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            updated_at: string;
            /** @description Possible mistakes in the accepted configuration, such as paths without a value and agents that do not exist. */
            warnings?: string[];
        } & {
            [key: string]: unknown;
        };
        ToolChangeBody: {
            /**
             * @description Path of the flag or key: flags.<name> or workflow.<key>.
             * @example workflow.order
             */
            path: string;
            /**
             * @description New value of the flag or key.
             * @example 4711
             */
            value: unknown;
        } & {
            [key: string]: unknown;
        };
        ToolConfig: {
            /** @description Actions of the tool, in order. */
            actions?: components["schemas"]["Action"][];
            /**
             * @description Text that the agent speaks during a long call of the tool. Default: "One moment, please."; empty for none.
             * @example Let me look that up.
             */
            filler?: string;
            /** @description Parameters of the tool, available to actions as {{params.<name>}}. */
            parameters?: components["schemas"]["Parameter"][];
        } & {
            [key: string]: unknown;
        };
        ToolItem: {
            /**
             * Format: date-time
             * @description Time the tool was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * @description Description of the tool.
             * @example Finds an order by its number.
             */
            description: string | null;
            /**
             * Format: uuid
             * @description Unique identifier of the tool.
             */
            id: string;
            /**
             * @description Unique name of the tool, used in paths.
             * @example look_up_order
             */
            name: string;
            /**
             * Format: date-time
             * @description Time the tool was last changed (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            updated_at: string;
        } & {
            [key: string]: unknown;
        };
        ToolNextBody: {
            /**
             * @description Action that a call would have taken.
             * @example handoff
             * @enum {string}
             */
            action: "handoff" | "end_call" | "transfer_call";
            /**
             * @description For handoff: name of the next agent.
             * @example billing
             */
            agent?: string;
            /**
             * @description Text that the agent would have spoken first.
             * @example Let me connect you.
             */
            message?: string;
            /**
             * @description For transfer_call: phone number in E.164 format.
             * @example +4930123456
             */
            number?: string;
        } & {
            [key: string]: unknown;
        };
        ToolProblemBody: {
            /**
             * @description Severity. error: the tool failed; warning: it succeeded nevertheless.
             * @enum {string}
             */
            level: "error" | "warning";
            /**
             * @description Human-readable description of the error.
             * @example tool look_up_order: names {{user.plan}}, which this call does not have
             */
            message: string;
        } & {
            [key: string]: unknown;
        };
        ToolRequestBody: {
            /**
             * @description First 8 KiB of the response body.
             * @example {"state":"sent"}
             */
            answer: string;
            /**
             * Format: int64
             * @description Number of attempts.
             * @example 1
             */
            attempts: number;
            /**
             * @description Body of the request; null for none.
             * @example {
             *       "expand": true
             *     }
             */
            body: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: double
             * @description Duration of all attempts, in milliseconds.
             * @example 84
             */
            duration_ms: number;
            /**
             * @description Why there was no response; absent if there was one.
             * @example no answer within 15 s
             */
            error?: string;
            /**
             * @description Headers that the tool configures.
             * @example {
             *       "Authorization": "Bearer ***"
             *     }
             */
            headers: {
                [key: string]: string;
            };
            /**
             * @description HTTP method.
             * @example GET
             * @enum {string}
             */
            method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
            /**
             * Format: int64
             * @description HTTP status of the response; null if there was none.
             * @example 200
             */
            status: number | null;
            /**
             * @description URL of the request; empty if the request could not be made.
             * @example https://api.example.com/orders/4711
             */
            url: string;
        } & {
            [key: string]: unknown;
        };
        ToolTrialBody: {
            /**
             * @description Result that the language model receives.
             * @example The order is on its way.
             */
            answer: string;
            /** @description Flags and keys of the workflow's state that a call would have set, in order. */
            changes: components["schemas"]["ToolChangeBody"][];
            /** @description Action that would have followed in a call; absent if none. */
            next?: components["schemas"]["ToolNextBody"];
            /** @description Items that a call would have in its error log. */
            problems: components["schemas"]["ToolProblemBody"][];
            /** @description The requests that were made, in order. */
            requests: components["schemas"]["ToolRequestBody"][];
        } & {
            [key: string]: unknown;
        };
        Transcript: {
            /**
             * @description Name of the agent concerned.
             * @example front-desk
             */
            agent: string | null;
            /**
             * Format: uuid
             * @description Unique identifier of the call.
             */
            call_id: string;
            /**
             * @description Text of the entry.
             * @example Good morning, how can I help?
             */
            content: string;
            /**
             * @description Whether the content is keys that the caller pressed on the phone; absent if it is not.
             * @example true
             */
            dtmf?: boolean;
            /**
             * @description Speaker: user (the caller), assistant (an agent) or system (the platform).
             * @example assistant
             * @enum {string}
             */
            role: "system" | "assistant" | "user";
            /**
             * Format: date-time
             * @description Time the entry was spoken (UTC).
             */
            timestamp: string;
        } & {
            [key: string]: unknown;
        };
        TranscriptBody: {
            /**
             * @description Name of the agent.
             * @example front-desk
             */
            agent_name: string | null;
            /**
             * @description Text of the entry.
             * @example Good morning, how can I help?
             */
            content: string;
            /**
             * @description Whether the content is keys that the caller pressed on the phone; absent if it is not.
             * @example true
             */
            dtmf?: boolean;
            /**
             * @description Speaker: user (the caller), assistant (an agent) or system (the platform).
             * @example assistant
             * @enum {string}
             */
            role: "system" | "assistant" | "user";
            /**
             * Format: date-time
             * @description Time of the message (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            timestamp: string;
            /** @description The tool call of the entry. */
            tool_call?: components["schemas"]["TranscriptBodyToolCallStruct"];
        } & {
            [key: string]: unknown;
        };
        TranscriptBodyToolCallStruct: {
            /**
             * @description Arguments of the tool, keyed by name.
             * @example {
             *       "number": "4711"
             *     }
             */
            arguments: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Name of the tool.
             * @example look_up_order
             */
            name: string;
        } & {
            [key: string]: unknown;
        };
        TrunkBody: {
            /**
             * @description Whether the other side of the trunk's calls may have the gateway call another number through the trunk instead (REFER), within what the tenant may dial. Default: false.
             * @example false
             */
            accept_transfers: boolean;
            /**
             * @description SIP address of the carrier, as host or host:port.
             * @example sip.example.com:5061
             */
            address: string;
            /**
             * @description Whether calls may be dispatched to extensions and to SIP URIs at the trunk.
             * @example false
             */
            allow_uris: boolean;
            /**
             * @description IP addresses and networks of the trunk's inbound calls.
             * @example [
             *       "203.0.113.0/24"
             *     ]
             */
            allowed_addresses: string[];
            /**
             * @description Caller ID shown to the callee, in E.164 format.
             * @example +4930123456
             */
            caller_id: string | null;
            /**
             * Format: date-time
             * @description Time the trunk was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * @description Country (ISO 3166) in which numbers without a country code are dialled; null for none.
             * @example US
             */
            default_country: string | null;
            /**
             * @description Host of the From header, and of the identity headers; null for the default.
             * @example acme.example
             */
            from_domain: string | null;
            /**
             * @description Whether a password is stored.
             * @example true
             */
            has_password: boolean;
            /**
             * @description SIP headers of outbound calls. Values are masked: ********.
             * @example {
             *       "X-Account": "********"
             *     }
             */
            headers: {
                [key: string]: string;
            };
            /**
             * @description Names of SIP headers of inbound calls that become variables.
             * @example [
             *       "X-Account"
             *     ]
             */
            headers_in: string[];
            /**
             * @description Names of SIP headers that the sip_headers of a dispatch may have.
             * @example [
             *       "X-Order"
             *     ]
             */
            headers_out: string[];
            /**
             * Format: uuid
             * @description Unique identifier of the trunk.
             */
            id: string;
            /**
             * @description Header that has the caller ID: From, P-Asserted-Identity or P-Preferred-Identity.
             * @example p_asserted
             * @enum {string}
             */
            identity: "from" | "p_asserted" | "p_preferred";
            /** @description Whether it is the default. */
            is_default: boolean;
            /**
             * @description Media encryption (SRTP).
             * @example off
             * @enum {string}
             */
            media_encryption: "off" | "allow" | "require";
            /**
             * @description Display name.
             * @example Carrier
             */
            name: string;
            /**
             * @description What is withheld from the callee: nothing, or the caller ID.
             * @example none
             * @enum {string}
             */
            privacy: "none" | "id";
            /**
             * @description Transport of SIP signalling. Default: udp.
             * @enum {string}
             */
            transport: "udp" | "tcp" | "tls";
            /**
             * Format: date-time
             * @description Time the trunk was last changed (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            updated_at: string;
            /**
             * @description User name of the account at the carrier.
             * @example parley
             */
            username: string | null;
        } & {
            [key: string]: unknown;
        };
        TrunkCheckBody: {
            /**
             * Format: double
             * @description Time from the request to the response, in milliseconds.
             * @example 34
             */
            duration_ms: number;
            /**
             * @description Explanation of the result.
             * @example The trunk responds.
             */
            message: string;
            /**
             * @description Whether a SIP server responded.
             * @example true
             */
            reached: boolean;
            /**
             * Format: int64
             * @description SIP status of the response; null without one.
             * @example 200
             */
            sip_status: number | null;
        } & {
            [key: string]: unknown;
        };
        TryToolBody: {
            /**
             * @description The values of the tool's parameters, as a language model gives them.
             * @example {
             *       "order_id": "4711"
             *     }
             */
            arguments?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Sample context with user, workflow and flags. At most 64 KiB.
             * @example {
             *       "user": {
             *         "name": "Ann"
             *       }
             *     }
             */
            context?: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        UpdatePromptFields: {
            /**
             * @description Purpose of the template; null sets instruction.
             * @enum {string|null}
             */
            category?: "greeting" | "closing" | "instruction" | "error" | null;
            /** @description Texts by language code, merged with the stored ones; null removes a language. */
            content?: {
                [key: string]: string | null;
            };
            /**
             * @description Set to null to remove.
             * @example How a call begins.
             */
            description?: string | null;
            /**
             * @description Merged with the stored metadata; null removes a key.
             * @example {
             *       "order": "4711"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * @description Display name.
             * @example Welcome
             */
            name?: string;
            /** @description Replaces all variables. */
            variables?: components["schemas"]["Variable"][];
        } & {
            [key: string]: unknown;
        };
        UpdateTrunkFields: {
            /**
             * @description Whether the other side of the trunk's calls may have the gateway call another number through the trunk instead (REFER), within what the tenant may dial. Default: false.
             * @example false
             */
            accept_transfers?: boolean;
            /**
             * @description SIP address of the carrier, as host or host:port.
             * @example sip.example.com:5061
             */
            address?: string;
            /**
             * @description Whether calls may be dispatched to extensions and to SIP URIs at the trunk.
             * @example false
             */
            allow_uris?: boolean;
            /**
             * @description IP addresses and networks (CIDR, prefix of /16 or longer, of IPv6 /32) of the trunk's inbound calls; null removes them.
             * @example [
             *       "203.0.113.0/24"
             *     ]
             */
            allowed_addresses?: string[] | null;
            /**
             * @description Caller ID in E.164 format; null removes it.
             * @example +4930123456
             */
            caller_id?: string | null;
            /**
             * @description Country (ISO 3166, two letters) in which numbers without a country code are dialled; null removes it. Stored numbers stay as they are.
             * @example US
             */
            default_country?: string | null;
            /**
             * @description Host of the From header, and of the identity headers; null removes it.
             * @example acme.example
             */
            from_domain?: string | null;
            /**
             * @description Merged with the stored headers; null removes a header, a masked value keeps the stored one. Values are required again when address, transport or username changes.
             * @example {
             *       "X-Account": "4711"
             *     }
             */
            headers?: {
                [key: string]: string | null;
            };
            /**
             * @description Names of SIP headers of inbound calls that become variables; null removes them.
             * @example [
             *       "X-Account"
             *     ]
             */
            headers_in?: string[] | null;
            /**
             * @description Names of SIP headers that the sip_headers of a dispatch may have; null removes them.
             * @example [
             *       "X-Order"
             *     ]
             */
            headers_out?: string[] | null;
            /**
             * @description Header that has the caller ID: From, P-Asserted-Identity or P-Preferred-Identity.
             * @example p_asserted
             * @enum {string}
             */
            identity?: "from" | "p_asserted" | "p_preferred";
            /** @description Whether it is the default. */
            is_default?: boolean;
            /**
             * @description Media encryption (SRTP).
             * @example off
             * @enum {string}
             */
            media_encryption?: "off" | "allow" | "require";
            /**
             * @description Display name.
             * @example Carrier
             */
            name?: string;
            /**
             * @description Set to null to remove; unchanged if absent. Required when address, transport or username of a trunk with a password changes.
             * @example correct horse battery staple
             */
            password?: string | null;
            /**
             * @description What is withheld from the callee: nothing, or the caller ID.
             * @example none
             * @enum {string}
             */
            privacy?: "none" | "id";
            /**
             * @description Transport of SIP signalling. Default: udp.
             * @enum {string}
             */
            transport?: "udp" | "tcp" | "tls";
            /**
             * @description Set to null to remove.
             * @example parley
             */
            username?: string | null;
        } & {
            [key: string]: unknown;
        };
        UserBody: {
            /**
             * Format: date-time
             * @description Time the user was created (UTC).
             * @example 2026-01-15T08:00:00.000000Z
             */
            created_at: string;
            /**
             * @description E-mail address of the user.
             * @example demo@parley.local
             */
            email: string;
            /**
             * Format: uuid
             * @description Unique identifier of the user.
             */
            id: string;
        } & {
            [key: string]: unknown;
        };
        Variable: {
            /** @description Default value. */
            default?: unknown;
            /**
             * @description Path of the variable, as in {{path}}.
             * @example customer_name
             */
            name: string;
            /** @description Whether a preview lists the variable as missing if it has no value. Default: false. */
            required?: boolean;
            /**
             * @description Type of the value, informative. A default of the types string, number, integer, boolean, object or array must match it.
             * @example string
             */
            type: string;
        } & {
            [key: string]: unknown;
        };
        VolumeBody: {
            /** @description The intervals of the range, in order. */
            data: components["schemas"]["VolumeItem"][];
            /**
             * @description Length of an interval, as requested.
             * @enum {string}
             */
            interval: "hour" | "day" | "week";
        } & {
            [key: string]: unknown;
        };
        VolumeItem: {
            /**
             * Format: int64
             * @description Number of calls that ended normally.
             * @example 11
             */
            completed: number;
            /**
             * Format: int64
             * @description Number of calls that never became active.
             * @example 1
             */
            failed: number;
            /**
             * Format: date-time
             * @description Start of the interval (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            timestamp: string;
            /**
             * Format: int64
             * @description Number of calls.
             * @example 12
             */
            total: number;
        } & {
            [key: string]: unknown;
        };
        WebhookBody: {
            /**
             * Format: date-time
             * @description Time the webhook was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * @description Whether events are sent.
             * @example true
             */
            enabled: boolean;
            /** @description Which events are sent, and what they include. */
            filter: components["schemas"]["WebhookFilterBody"];
            /**
             * @description Custom headers of deliveries. Values are masked: ********.
             * @example {
             *       "Authorization": "********"
             *     }
             */
            headers: {
                [key: string]: string;
            };
            /**
             * @description Unique identifier of the webhook.
             * @example whk_0193a6f0000070008000000000000001
             */
            id: string;
            /**
             * Format: int64
             * @description Maximum number of attempts, including the first.
             * @example 5
             */
            max_retries: number;
            /**
             * @description Payload format. event: the event itself; envelope: the event within an object that describes the delivery.
             * @enum {string}
             */
            payload_format: "event" | "envelope";
            /**
             * @description Retry policy of failed deliveries.
             * @example extended
             * @enum {string}
             */
            retry_policy: "standard" | "extended";
            /** @description Secret that signs deliveries. Returned only in the responses to creation and rotation. */
            secret?: string;
            /**
             * Format: int64
             * @description Timeout of an attempt, in seconds.
             * @example 30
             */
            timeout: number;
            /**
             * Format: date-time
             * @description Time the webhook was last changed (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            updated_at: string;
            /**
             * @description Destination URL.
             * @example https://example.com/hooks/parley
             */
            url: string;
        } & {
            [key: string]: unknown;
        };
        WebhookFilterBody: {
            /**
             * @description Event types that are sent.
             * @example [
             *       "call.completed",
             *       "call.failed"
             *     ]
             */
            events: string[];
            /** @description Whether terminal events include the call's user_context. */
            include_context: boolean;
            /**
             * @description Whether terminal events include the call's metrics.
             * @example true
             */
            include_metrics: boolean;
            /** @description Whether terminal events include the transcript. */
            include_transcript: boolean;
        } & {
            [key: string]: unknown;
        };
        WebhookSettingsBody: {
            /**
             * @description Whether events are sent. Default: true.
             * @example true
             */
            enabled?: boolean;
            /** @description Which events are sent, and what they include. */
            filter?: components["schemas"]["WebhookSettingsBodyFilterStruct"];
            /** @description Custom headers of every delivery: at most 50, with values of at most 4,096 bytes without control characters. These names are always rejected: Host, Content-Type, Content-Length, Content-Encoding, User-Agent, X-Webhook-*, Connection, Keep-Alive, Proxy-Connection, Proxy-Authorization, TE, Trailer, Transfer-Encoding, Upgrade and Expect. Names that differ only in case are rejected too. The masked value ******** keeps the stored value while the scheme, host and port of url stay the same; when they change, every header must be given again or removed. */
            headers?: {
                [key: string]: string | null;
            };
            /**
             * Format: int64
             * @description Maximum number of attempts, including the first. Default: 5. The extended policy has its own number.
             * @example 5
             */
            max_retries?: number;
            /**
             * @description Payload format. event (default): the event itself. envelope: the event within an object that describes the delivery.
             * @enum {string}
             */
            payload_format?: "event" | "envelope";
            /**
             * @description Retry policy. standard (default): max_retries attempts with exponential backoff from one second. extended: 8 attempts over 24 hours.
             * @example extended
             * @enum {string}
             */
            retry_policy?: "standard" | "extended";
            /**
             * Format: int64
             * @description Timeout of an attempt, in seconds. Default: 30.
             * @example 30
             */
            timeout?: number;
            /**
             * @description Destination URL: absolute, https, at most 2,048 bytes, without user name and password. Private addresses and names such as localhost are rejected; what a name resolves to is checked with every delivery. A server that allows private networks (PARLEY_ALLOW_PRIVATE_NETWORKS) also accepts http and private addresses.
             * @example https://example.com/hooks/parley
             */
            url: string;
        } & {
            [key: string]: unknown;
        };
        WebhookSettingsBodyFilterStruct: {
            /**
             * @description Event types to send. Default: all.
             * @example [
             *       "call.completed",
             *       "call.failed"
             *     ]
             */
            events?: ("call.started" | "call.connected" | "call.completed" | "call.failed" | "call.disconnected" | "call.timeout" | "call.agent.changed" | "call.held" | "call.resumed" | "call.test")[];
            /** @description Whether terminal events include the call's user_context. Default: false. Switching it on, or changing url while it is on, also requires the scope calls:read. */
            include_context?: boolean;
            /**
             * @description Whether terminal events include the call's metrics. Default: true.
             * @example true
             */
            include_metrics?: boolean;
            /** @description Whether terminal events include the transcript. Default: false. Switching it on, or changing url while it is on, also requires the scope calls:read. */
            include_transcript?: boolean;
        } & {
            [key: string]: unknown;
        };
        WorkflowBody: {
            /** @description Configuration of the workflow. */
            config: components["schemas"]["WorkflowConfig"];
            /**
             * Format: date-time
             * @description Time the workflow was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * @description Description of the workflow.
             * @example Finds a time and confirms it.
             */
            description: string | null;
            /**
             * Format: uuid
             * @description Unique identifier of the workflow.
             */
            id: string;
            /**
             * @description Whether new calls may use the workflow.
             * @example true
             */
            is_active: boolean;
            /**
             * @description Display name.
             * @example Make an appointment
             */
            name: string;
            /**
             * @description Unique identifier in paths.
             * @example appointment
             */
            slug: string;
            /** @description Possible mistakes in the accepted configuration, such as context paths that never have a value. */
            warnings?: string[];
        } & {
            [key: string]: unknown;
        };
        WorkflowConfig: {
            /** @description Connections between nodes, without cycles. */
            connections: components["schemas"]["Connection"][];
            /** @description Nodes of the graph. Exactly one is the entry, at least one an exit. */
            nodes: components["schemas"]["Node"][];
            /**
             * @description Context keys that every agent sees.
             * @example [
             *       "customer_id"
             *     ]
             */
            shared_context?: string[];
        } & {
            [key: string]: unknown;
        };
        WorkflowItem: {
            /**
             * Format: date-time
             * @description Time the workflow was created (UTC).
             * @example 2026-11-01T09:30:00.123456Z
             */
            created_at: string;
            /**
             * Format: uuid
             * @description Unique identifier of the workflow.
             */
            id: string;
            /**
             * @description Whether new calls may use it.
             * @example true
             */
            is_active: boolean;
            /**
             * @description Display name.
             * @example Make an appointment
             */
            name: string;
            /**
             * @description Unique identifier in paths.
             * @example appointment
             */
            slug: string;
        } & {
            [key: string]: unknown;
        };
        WorkflowStatsItem: {
            /**
             * Format: double
             * @description Average duration of answered calls that have ended, in seconds.
             * @example 84.2
             */
            avg_duration_seconds: number;
            /**
             * Format: int64
             * @description Number of calls that ended normally.
             * @example 117
             */
            completed_calls: number;
            /**
             * Format: int64
             * @description Number of calls that never became active.
             * @example 2
             */
            failed_calls: number;
            /**
             * Format: double
             * @description Percentage of completed_calls in total_calls, with one decimal.
             * @example 97.5
             */
            success_rate: number;
            /**
             * Format: int64
             * @description Number of calls.
             * @example 120
             */
            total_calls: number;
            /**
             * Format: uuid
             * @description Unique identifier of the workflow.
             */
            workflow_id: string;
            /**
             * @description Name of the workflow, also if it was deleted.
             * @example Demo
             */
            workflow_name: string;
            /**
             * @description Slug of the workflow.
             * @example demo
             */
            workflow_slug: string;
        } & {
            [key: string]: unknown;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Returned byte range and total length (RFC 9110, section 14.4).
         * @example bytes 0-65535/1048576
         */
        "Content-Range": string;
        /**
         * @description Seconds until the next request is allowed.
         * @example 2
         */
        "Retry-After": number;
        /**
         * @description Authentication challenge (RFC 9110, section 11.6.1).
         * @example Bearer realm="parley"
         */
        "WWW-Authenticate": string;
        /**
         * @description Unknown fields of the request body, by dotted path. Absent if there are none.
         * @example confg, user_context.nam
         */
        "X-Ignored-Fields": string;
        /**
         * @description Unknown query parameters. Absent if there are none.
         * @example pagesize, user
         */
        "X-Ignored-Parameters": string;
        /**
         * @description Rate limit, in requests per minute. Absent without a limit, as are the other two headers.
         * @example 600
         */
        "X-RateLimit-Limit": number;
        /**
         * @description Number of requests currently available.
         * @example 599
         */
        "X-RateLimit-Remaining": number;
        /**
         * @description Time at which the full limit is available again, in Unix seconds.
         * @example 1793525400
         */
        "X-RateLimit-Reset": number;
        /**
         * @description Unique identifier of the request, for support: the client's, if it sent one, or else generated.
         * @example 4bf92f3577b34da6a3ce929d0e0e4736
         */
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "list-agents": {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description Number of items to skip. */
                offset?: number;
                /** @description Filter by is_active: true for active items, false for inactive ones. Default: both. */
                is_active?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "created_at": "2026-11-01T09:30:00.123456Z",
                     *           "display_name": "Front desk",
                     *           "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *           "is_active": true,
                     *           "name": "front-desk"
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total": 42
                     *     }
                     */
                    "application/json": components["schemas"]["PageAgentItem"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "create-agent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "config": {
                 *         "default_language": "en",
                 *         "languages": [
                 *           "en",
                 *           "de"
                 *         ],
                 *         "llm": {
                 *           "first_token_timeout_ms": 4000,
                 *           "history_characters": 40000,
                 *           "max_tokens": 300,
                 *           "model": "gpt-6-luna",
                 *           "provider": "openai",
                 *           "reasoning_effort": "low",
                 *           "temperature": 0.4
                 *         },
                 *         "prompt": {
                 *           "greeting": "Hello {{user.name}}, how can I help you?",
                 *           "system": "You are the friendly front desk of a dentist."
                 *         },
                 *         "recording": false,
                 *         "stt": {
                 *           "key_terms": [
                 *             "Parley",
                 *             "Dr. Okonkwo"
                 *           ],
                 *           "language": "en",
                 *           "model": "nova-3",
                 *           "provider": "deepgram"
                 *         },
                 *         "tools": [
                 *           "look_up_order"
                 *         ],
                 *         "tts": {
                 *           "emotion": "calm",
                 *           "model": "sonic-3",
                 *           "provider": "cartesia",
                 *           "speed": 1,
                 *           "text_normalization": "auto",
                 *           "voice_id": "f786b574-daa5-4673-aa0c-cbe3e8534c02"
                 *         }
                 *       },
                 *       "display_name": "Front desk",
                 *       "name": "front-desk"
                 *     }
                 */
                "application/json": components["schemas"]["CreateAgentBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "config": {
                     *         "default_language": "en",
                     *         "languages": [
                     *           "en",
                     *           "de"
                     *         ],
                     *         "llm": {
                     *           "first_token_timeout_ms": 4000,
                     *           "history_characters": 40000,
                     *           "max_tokens": 300,
                     *           "model": "gpt-6-luna",
                     *           "provider": "openai",
                     *           "reasoning_effort": "low",
                     *           "temperature": 0.4
                     *         },
                     *         "prompt": {
                     *           "greeting": "Hello {{user.name}}, how can I help you?",
                     *           "system": "You are the friendly front desk of a dentist."
                     *         },
                     *         "recording": false,
                     *         "stt": {
                     *           "key_terms": [
                     *             "Parley",
                     *             "Dr. Okonkwo"
                     *           ],
                     *           "language": "en",
                     *           "model": "nova-3",
                     *           "provider": "deepgram"
                     *         },
                     *         "tools": [
                     *           "look_up_order"
                     *         ],
                     *         "tts": {
                     *           "emotion": "calm",
                     *           "model": "sonic-3",
                     *           "provider": "cartesia",
                     *           "speed": 1,
                     *           "text_normalization": "auto",
                     *           "voice_id": "f786b574-daa5-4673-aa0c-cbe3e8534c02"
                     *         }
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "display_name": "Front desk",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "is_active": true,
                     *       "name": "front-desk"
                     *     }
                     */
                    "application/json": components["schemas"]["AgentBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-agent": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the agent. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "config": {
                     *         "default_language": "en",
                     *         "languages": [
                     *           "en",
                     *           "de"
                     *         ],
                     *         "llm": {
                     *           "first_token_timeout_ms": 4000,
                     *           "history_characters": 40000,
                     *           "max_tokens": 300,
                     *           "model": "gpt-6-luna",
                     *           "provider": "openai",
                     *           "reasoning_effort": "low",
                     *           "temperature": 0.4
                     *         },
                     *         "prompt": {
                     *           "greeting": "Hello {{user.name}}, how can I help you?",
                     *           "system": "You are the friendly front desk of a dentist."
                     *         },
                     *         "recording": false,
                     *         "stt": {
                     *           "key_terms": [
                     *             "Parley",
                     *             "Dr. Okonkwo"
                     *           ],
                     *           "language": "en",
                     *           "model": "nova-3",
                     *           "provider": "deepgram"
                     *         },
                     *         "tools": [
                     *           "look_up_order"
                     *         ],
                     *         "tts": {
                     *           "emotion": "calm",
                     *           "model": "sonic-3",
                     *           "provider": "cartesia",
                     *           "speed": 1,
                     *           "text_normalization": "auto",
                     *           "voice_id": "f786b574-daa5-4673-aa0c-cbe3e8534c02"
                     *         }
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "display_name": "Front desk",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "is_active": true,
                     *       "name": "front-desk"
                     *     }
                     */
                    "application/json": components["schemas"]["AgentBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "update-agent": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the agent. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "config": {
                 *         "languages": [
                 *           "en",
                 *           "de"
                 *         ],
                 *         "llm": {
                 *           "temperature": 0.2
                 *         }
                 *       },
                 *       "display_name": "Front desk"
                 *     }
                 */
                "application/json": {
                    /** @description Configuration. */
                    config?: {
                        /** @description Processing of the caller's audio. */
                        audio?: ({
                            /**
                             * @description Whether steady noise is removed from the caller's audio before it is recognised. Default: off.
                             * @example on
                             * @enum {string|null}
                             */
                            noise_suppression?: "off" | "on" | null;
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        /**
                         * @description Language code with which the agent starts.
                         * @example en
                         */
                        default_language?: string | null;
                        /** @description Entries by keys of the phone (DTMF): an entry is one turn of the caller. */
                        dtmf?: ({
                            /**
                             * @description Whether keys are taken. Default: true.
                             * @example true
                             */
                            enabled?: boolean | null;
                            /**
                             * @description Key that completes an entry, which does not contain it; empty for none. Default: #.
                             * @example #
                             */
                            end?: string | null;
                            /**
                             * @description Whether the first key stops the agent's speech. Otherwise the entry is answered after it. Default: true.
                             * @example true
                             */
                            interrupts?: boolean | null;
                            /**
                             * Format: int64
                             * @description Number of keys that completes an entry. Default: 32.
                             * @example 8
                             */
                            max_digits?: number | null;
                            /**
                             * Format: int64
                             * @description Time after the last key that completes an entry, in milliseconds; 0 waits for end or max_digits. Default: 2000.
                             * @example 2000
                             */
                            timeout_ms?: number | null;
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        /** @description Agents to which this agent can hand the call over. */
                        handoffs?: components["schemas"]["Handoff"][] | null;
                        /**
                         * @description Supported language codes.
                         * @example [
                         *       "en",
                         *       "de"
                         *     ]
                         */
                        languages?: string[] | null;
                        /** @description Language model settings. */
                        llm?: ({
                            /** @description Fallback: replaces the provider for the rest of the call when it fails. */
                            fallback?: ({
                                /**
                                 * Format: int64
                                 * @description Maximum number of tokens per answer.
                                 * @example 300
                                 */
                                max_tokens?: number | null;
                                /**
                                 * @description Name of the model.
                                 * @example claude-sonnet-5-5
                                 */
                                model?: string;
                                /**
                                 * @description Name of a language model provider.
                                 * @example anthropic
                                 */
                                provider?: string;
                                /**
                                 * @description How much the model reasons before it answers. Default: the least that the model allows.
                                 * @example low
                                 * @enum {string|null}
                                 */
                                reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
                                /**
                                 * Format: double
                                 * @description Sampling temperature; 0 is the most deterministic.
                                 * @example 0.4
                                 */
                                temperature?: number | null;
                            } & {
                                [key: string]: unknown;
                            }) | null;
                            /**
                             * Format: int64
                             * @description Timeout for the first token of an answer, in milliseconds, after which the provider has failed and the fallback is used. Default: 8,000, or 10,000 without a fallback.
                             * @example 4000
                             */
                            first_token_timeout_ms?: number | null;
                            /**
                             * Format: int64
                             * @description Limit of the conversation that is sent to the model with each request, in characters; the oldest turns are left out. Default: 100,000.
                             * @example 40000
                             */
                            history_characters?: number | null;
                            /**
                             * Format: int64
                             * @description Maximum number of tokens per answer.
                             * @example 300
                             */
                            max_tokens?: number | null;
                            /**
                             * @description Name of the model.
                             * @example gpt-6-luna
                             */
                            model?: string;
                            /**
                             * @description Name of a language model provider.
                             * @example openai
                             */
                            provider?: string;
                            /**
                             * @description How much the model reasons before it answers; the caller waits meanwhile. Default: the least that the model allows.
                             * @example low
                             * @enum {string|null}
                             */
                            reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
                            /**
                             * Format: double
                             * @description Sampling temperature; 0 is the most deterministic.
                             * @example 0.4
                             */
                            temperature?: number | null;
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        /** @description System prompt and greeting. */
                        prompt?: {
                            /**
                             * @description Greeting that the agent speaks first. May contain templates, such as {{user.name}}.
                             * @example Hello {{user.name}}, how can I help you?
                             */
                            greeting?: string | null;
                            /**
                             * @description System prompt. May contain templates, such as {{user.name}}.
                             * @example You are the friendly front desk of a dentist.
                             */
                            system?: string;
                        } & {
                            [key: string]: unknown;
                        };
                        /** @description Speech-to-speech model, in place of stt, llm and tts, which are its fallback if they are set as well. */
                        realtime?: ({
                            /**
                             * @description Name of the model.
                             * @example gpt-realtime
                             */
                            model?: string;
                            /**
                             * @description Name of a speech-to-speech provider.
                             * @example openai
                             */
                            provider?: string;
                            /**
                             * @description Voice of the model. Default: the provider's.
                             * @example marin
                             */
                            voice?: string | null;
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        /**
                         * @description Whether the conversation with this agent is recorded. Default: false.
                         * @example false
                         */
                        recording?: boolean | null;
                        /** @description Speech-to-text settings. */
                        stt?: ({
                            /** @description Fallback: replaces the provider for the rest of the call when it fails. */
                            fallback?: ({
                                /**
                                 * @description Language code. Default: default_language.
                                 * @example en
                                 */
                                language?: string | null;
                                /**
                                 * @description Name of the model.
                                 * @example universal-streaming-multilingual
                                 */
                                model?: string;
                                /**
                                 * @description Name of a speech-to-text provider.
                                 * @example assemblyai
                                 */
                                provider?: string;
                            } & {
                                [key: string]: unknown;
                            }) | null;
                            /**
                             * @description Names and words that callers are expected to say, for the provider and its fallback. Models without support ignore them, with a warning when the agent is saved.
                             * @example [
                             *       "Parley",
                             *       "Dr. Okonkwo"
                             *     ]
                             */
                            key_terms?: string[] | null;
                            /**
                             * @description Language code. Default: default_language.
                             * @example en
                             */
                            language?: string | null;
                            /**
                             * @description Name of the model.
                             * @example nova-3
                             */
                            model?: string;
                            /**
                             * @description Name of a speech-to-text provider.
                             * @example deepgram
                             */
                            provider?: string;
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        /**
                         * @description Names of the tools that the agent may call.
                         * @example [
                         *       "look_up_order"
                         *     ]
                         */
                        tools?: string[] | null;
                        /** @description Text-to-speech settings. */
                        tts?: ({
                            /**
                             * @description Emotion of the voice, for models that support it. GET /api/v1/providers lists the values. Default: the model's.
                             * @example calm
                             */
                            emotion?: string | null;
                            /** @description Fallback: replaces the provider for the rest of the call when it fails. */
                            fallback?: ({
                                /**
                                 * @description Emotion of the voice, for models that support it. Default: the model's.
                                 * @example calm
                                 */
                                emotion?: string | null;
                                /**
                                 * @description Model of the voice. Default: the provider's.
                                 * @example eleven_flash_v2_5
                                 */
                                model?: string | null;
                                /**
                                 * @description Name of a text-to-speech provider.
                                 * @example elevenlabs
                                 */
                                provider?: string;
                                /**
                                 * Format: double
                                 * @description Speech rate. Default: 1 (normal).
                                 * @example 1
                                 */
                                speed?: number | null;
                                /**
                                 * @description Whether numbers, dates and phone numbers are read as words, for models that support it.
                                 * @example auto
                                 * @enum {string|null}
                                 */
                                text_normalization?: "auto" | "on" | "off" | null;
                                /**
                                 * @description Identifier of a voice of the provider.
                                 * @example 21m00Tcm4TlvDq8ikWAM
                                 */
                                voice_id?: string;
                            } & {
                                [key: string]: unknown;
                            }) | null;
                            /**
                             * @description Model of the voice. Default: the provider's.
                             * @example sonic-3
                             */
                            model?: string | null;
                            /**
                             * @description Name of a text-to-speech provider.
                             * @example cartesia
                             */
                            provider?: string;
                            /**
                             * Format: double
                             * @description Speech rate. Default: 1 (normal).
                             * @example 1
                             */
                            speed?: number | null;
                            /**
                             * @description Whether numbers, dates and phone numbers are read as words, for models that support it. Default: on where every plan of the vendor allows it, otherwise the vendor's.
                             * @example auto
                             * @enum {string|null}
                             */
                            text_normalization?: "auto" | "on" | "off" | null;
                            /**
                             * @description Identifier of a voice of the provider.
                             * @example f786b574-daa5-4673-aa0c-cbe3e8534c02
                             */
                            voice_id?: string;
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        /** @description Turn detection settings, an object. */
                        turn?: unknown;
                    } & {
                        [key: string]: unknown;
                    };
                    /**
                     * @description Display name.
                     * @example Front desk
                     */
                    display_name?: string | null;
                } & {
                    [key: string]: unknown;
                };
                /**
                 * @example {
                 *       "config": {
                 *         "languages": [
                 *           "en",
                 *           "de"
                 *         ],
                 *         "llm": {
                 *           "temperature": 0.2
                 *         }
                 *       },
                 *       "display_name": "Front desk"
                 *     }
                 */
                "application/merge-patch+json": {
                    /** @description Configuration. */
                    config?: {
                        /** @description Processing of the caller's audio. */
                        audio?: ({
                            /**
                             * @description Whether steady noise is removed from the caller's audio before it is recognised. Default: off.
                             * @example on
                             * @enum {string|null}
                             */
                            noise_suppression?: "off" | "on" | null;
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        /**
                         * @description Language code with which the agent starts.
                         * @example en
                         */
                        default_language?: string | null;
                        /** @description Entries by keys of the phone (DTMF): an entry is one turn of the caller. */
                        dtmf?: ({
                            /**
                             * @description Whether keys are taken. Default: true.
                             * @example true
                             */
                            enabled?: boolean | null;
                            /**
                             * @description Key that completes an entry, which does not contain it; empty for none. Default: #.
                             * @example #
                             */
                            end?: string | null;
                            /**
                             * @description Whether the first key stops the agent's speech. Otherwise the entry is answered after it. Default: true.
                             * @example true
                             */
                            interrupts?: boolean | null;
                            /**
                             * Format: int64
                             * @description Number of keys that completes an entry. Default: 32.
                             * @example 8
                             */
                            max_digits?: number | null;
                            /**
                             * Format: int64
                             * @description Time after the last key that completes an entry, in milliseconds; 0 waits for end or max_digits. Default: 2000.
                             * @example 2000
                             */
                            timeout_ms?: number | null;
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        /** @description Agents to which this agent can hand the call over. */
                        handoffs?: components["schemas"]["Handoff"][] | null;
                        /**
                         * @description Supported language codes.
                         * @example [
                         *       "en",
                         *       "de"
                         *     ]
                         */
                        languages?: string[] | null;
                        /** @description Language model settings. */
                        llm?: ({
                            /** @description Fallback: replaces the provider for the rest of the call when it fails. */
                            fallback?: ({
                                /**
                                 * Format: int64
                                 * @description Maximum number of tokens per answer.
                                 * @example 300
                                 */
                                max_tokens?: number | null;
                                /**
                                 * @description Name of the model.
                                 * @example claude-sonnet-5-5
                                 */
                                model?: string;
                                /**
                                 * @description Name of a language model provider.
                                 * @example anthropic
                                 */
                                provider?: string;
                                /**
                                 * @description How much the model reasons before it answers. Default: the least that the model allows.
                                 * @example low
                                 * @enum {string|null}
                                 */
                                reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
                                /**
                                 * Format: double
                                 * @description Sampling temperature; 0 is the most deterministic.
                                 * @example 0.4
                                 */
                                temperature?: number | null;
                            } & {
                                [key: string]: unknown;
                            }) | null;
                            /**
                             * Format: int64
                             * @description Timeout for the first token of an answer, in milliseconds, after which the provider has failed and the fallback is used. Default: 8,000, or 10,000 without a fallback.
                             * @example 4000
                             */
                            first_token_timeout_ms?: number | null;
                            /**
                             * Format: int64
                             * @description Limit of the conversation that is sent to the model with each request, in characters; the oldest turns are left out. Default: 100,000.
                             * @example 40000
                             */
                            history_characters?: number | null;
                            /**
                             * Format: int64
                             * @description Maximum number of tokens per answer.
                             * @example 300
                             */
                            max_tokens?: number | null;
                            /**
                             * @description Name of the model.
                             * @example gpt-6-luna
                             */
                            model?: string;
                            /**
                             * @description Name of a language model provider.
                             * @example openai
                             */
                            provider?: string;
                            /**
                             * @description How much the model reasons before it answers; the caller waits meanwhile. Default: the least that the model allows.
                             * @example low
                             * @enum {string|null}
                             */
                            reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
                            /**
                             * Format: double
                             * @description Sampling temperature; 0 is the most deterministic.
                             * @example 0.4
                             */
                            temperature?: number | null;
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        /** @description System prompt and greeting. */
                        prompt?: {
                            /**
                             * @description Greeting that the agent speaks first. May contain templates, such as {{user.name}}.
                             * @example Hello {{user.name}}, how can I help you?
                             */
                            greeting?: string | null;
                            /**
                             * @description System prompt. May contain templates, such as {{user.name}}.
                             * @example You are the friendly front desk of a dentist.
                             */
                            system?: string;
                        } & {
                            [key: string]: unknown;
                        };
                        /** @description Speech-to-speech model, in place of stt, llm and tts, which are its fallback if they are set as well. */
                        realtime?: ({
                            /**
                             * @description Name of the model.
                             * @example gpt-realtime
                             */
                            model?: string;
                            /**
                             * @description Name of a speech-to-speech provider.
                             * @example openai
                             */
                            provider?: string;
                            /**
                             * @description Voice of the model. Default: the provider's.
                             * @example marin
                             */
                            voice?: string | null;
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        /**
                         * @description Whether the conversation with this agent is recorded. Default: false.
                         * @example false
                         */
                        recording?: boolean | null;
                        /** @description Speech-to-text settings. */
                        stt?: ({
                            /** @description Fallback: replaces the provider for the rest of the call when it fails. */
                            fallback?: ({
                                /**
                                 * @description Language code. Default: default_language.
                                 * @example en
                                 */
                                language?: string | null;
                                /**
                                 * @description Name of the model.
                                 * @example universal-streaming-multilingual
                                 */
                                model?: string;
                                /**
                                 * @description Name of a speech-to-text provider.
                                 * @example assemblyai
                                 */
                                provider?: string;
                            } & {
                                [key: string]: unknown;
                            }) | null;
                            /**
                             * @description Names and words that callers are expected to say, for the provider and its fallback. Models without support ignore them, with a warning when the agent is saved.
                             * @example [
                             *       "Parley",
                             *       "Dr. Okonkwo"
                             *     ]
                             */
                            key_terms?: string[] | null;
                            /**
                             * @description Language code. Default: default_language.
                             * @example en
                             */
                            language?: string | null;
                            /**
                             * @description Name of the model.
                             * @example nova-3
                             */
                            model?: string;
                            /**
                             * @description Name of a speech-to-text provider.
                             * @example deepgram
                             */
                            provider?: string;
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        /**
                         * @description Names of the tools that the agent may call.
                         * @example [
                         *       "look_up_order"
                         *     ]
                         */
                        tools?: string[] | null;
                        /** @description Text-to-speech settings. */
                        tts?: ({
                            /**
                             * @description Emotion of the voice, for models that support it. GET /api/v1/providers lists the values. Default: the model's.
                             * @example calm
                             */
                            emotion?: string | null;
                            /** @description Fallback: replaces the provider for the rest of the call when it fails. */
                            fallback?: ({
                                /**
                                 * @description Emotion of the voice, for models that support it. Default: the model's.
                                 * @example calm
                                 */
                                emotion?: string | null;
                                /**
                                 * @description Model of the voice. Default: the provider's.
                                 * @example eleven_flash_v2_5
                                 */
                                model?: string | null;
                                /**
                                 * @description Name of a text-to-speech provider.
                                 * @example elevenlabs
                                 */
                                provider?: string;
                                /**
                                 * Format: double
                                 * @description Speech rate. Default: 1 (normal).
                                 * @example 1
                                 */
                                speed?: number | null;
                                /**
                                 * @description Whether numbers, dates and phone numbers are read as words, for models that support it.
                                 * @example auto
                                 * @enum {string|null}
                                 */
                                text_normalization?: "auto" | "on" | "off" | null;
                                /**
                                 * @description Identifier of a voice of the provider.
                                 * @example 21m00Tcm4TlvDq8ikWAM
                                 */
                                voice_id?: string;
                            } & {
                                [key: string]: unknown;
                            }) | null;
                            /**
                             * @description Model of the voice. Default: the provider's.
                             * @example sonic-3
                             */
                            model?: string | null;
                            /**
                             * @description Name of a text-to-speech provider.
                             * @example cartesia
                             */
                            provider?: string;
                            /**
                             * Format: double
                             * @description Speech rate. Default: 1 (normal).
                             * @example 1
                             */
                            speed?: number | null;
                            /**
                             * @description Whether numbers, dates and phone numbers are read as words, for models that support it. Default: on where every plan of the vendor allows it, otherwise the vendor's.
                             * @example auto
                             * @enum {string|null}
                             */
                            text_normalization?: "auto" | "on" | "off" | null;
                            /**
                             * @description Identifier of a voice of the provider.
                             * @example f786b574-daa5-4673-aa0c-cbe3e8534c02
                             */
                            voice_id?: string;
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        /** @description Turn detection settings, an object. */
                        turn?: unknown;
                    } & {
                        [key: string]: unknown;
                    };
                    /**
                     * @description Display name.
                     * @example Front desk
                     */
                    display_name?: string | null;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "config": {
                     *         "default_language": "en",
                     *         "languages": [
                     *           "en",
                     *           "de"
                     *         ],
                     *         "llm": {
                     *           "first_token_timeout_ms": 4000,
                     *           "history_characters": 40000,
                     *           "max_tokens": 300,
                     *           "model": "gpt-6-luna",
                     *           "provider": "openai",
                     *           "reasoning_effort": "low",
                     *           "temperature": 0.4
                     *         },
                     *         "prompt": {
                     *           "greeting": "Hello {{user.name}}, how can I help you?",
                     *           "system": "You are the friendly front desk of a dentist."
                     *         },
                     *         "recording": false,
                     *         "stt": {
                     *           "key_terms": [
                     *             "Parley",
                     *             "Dr. Okonkwo"
                     *           ],
                     *           "language": "en",
                     *           "model": "nova-3",
                     *           "provider": "deepgram"
                     *         },
                     *         "tools": [
                     *           "look_up_order"
                     *         ],
                     *         "tts": {
                     *           "emotion": "calm",
                     *           "model": "sonic-3",
                     *           "provider": "cartesia",
                     *           "speed": 1,
                     *           "text_normalization": "auto",
                     *           "voice_id": "f786b574-daa5-4673-aa0c-cbe3e8534c02"
                     *         }
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "display_name": "Front desk",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "is_active": true,
                     *       "name": "front-desk"
                     *     }
                     */
                    "application/json": components["schemas"]["AgentBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "delete-agent": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the agent. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "activate-agent": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the agent. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "config": {
                     *         "default_language": "en",
                     *         "languages": [
                     *           "en",
                     *           "de"
                     *         ],
                     *         "llm": {
                     *           "first_token_timeout_ms": 4000,
                     *           "history_characters": 40000,
                     *           "max_tokens": 300,
                     *           "model": "gpt-6-luna",
                     *           "provider": "openai",
                     *           "reasoning_effort": "low",
                     *           "temperature": 0.4
                     *         },
                     *         "prompt": {
                     *           "greeting": "Hello {{user.name}}, how can I help you?",
                     *           "system": "You are the friendly front desk of a dentist."
                     *         },
                     *         "recording": false,
                     *         "stt": {
                     *           "key_terms": [
                     *             "Parley",
                     *             "Dr. Okonkwo"
                     *           ],
                     *           "language": "en",
                     *           "model": "nova-3",
                     *           "provider": "deepgram"
                     *         },
                     *         "tools": [
                     *           "look_up_order"
                     *         ],
                     *         "tts": {
                     *           "emotion": "calm",
                     *           "model": "sonic-3",
                     *           "provider": "cartesia",
                     *           "speed": 1,
                     *           "text_normalization": "auto",
                     *           "voice_id": "f786b574-daa5-4673-aa0c-cbe3e8534c02"
                     *         }
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "display_name": "Front desk",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "is_active": true,
                     *       "name": "front-desk"
                     *     }
                     */
                    "application/json": components["schemas"]["AgentBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "deactivate-agent": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the agent. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "config": {
                     *         "default_language": "en",
                     *         "languages": [
                     *           "en",
                     *           "de"
                     *         ],
                     *         "llm": {
                     *           "first_token_timeout_ms": 4000,
                     *           "history_characters": 40000,
                     *           "max_tokens": 300,
                     *           "model": "gpt-6-luna",
                     *           "provider": "openai",
                     *           "reasoning_effort": "low",
                     *           "temperature": 0.4
                     *         },
                     *         "prompt": {
                     *           "greeting": "Hello {{user.name}}, how can I help you?",
                     *           "system": "You are the friendly front desk of a dentist."
                     *         },
                     *         "recording": false,
                     *         "stt": {
                     *           "key_terms": [
                     *             "Parley",
                     *             "Dr. Okonkwo"
                     *           ],
                     *           "language": "en",
                     *           "model": "nova-3",
                     *           "provider": "deepgram"
                     *         },
                     *         "tools": [
                     *           "look_up_order"
                     *         ],
                     *         "tts": {
                     *           "emotion": "calm",
                     *           "model": "sonic-3",
                     *           "provider": "cartesia",
                     *           "speed": 1,
                     *           "text_normalization": "auto",
                     *           "voice_id": "f786b574-daa5-4673-aa0c-cbe3e8534c02"
                     *         }
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "display_name": "Front desk",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "is_active": false,
                     *       "name": "front-desk"
                     *     }
                     */
                    "application/json": components["schemas"]["AgentBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-active-calls": {
        parameters: {
            query?: {
                /** @description Period up to now. Ignored when started_after or started_before is given. */
                period?: "1h" | "24h" | "7d" | "30d";
                /** @description Start of the range (inclusive). Calls count by the time they became active, or else by their creation. */
                started_after?: string;
                /** @description End of the range (exclusive). */
                started_before?: string;
                /** @description Filter by mode: true for calls made with a live key or a session, false for those made with a test key. Default: both. */
                livemode?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 3
                     *     }
                     */
                    "application/json": components["schemas"]["ActiveCountBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-call-volume": {
        parameters: {
            query?: {
                /** @description Period up to now. Ignored when started_after or started_before is given. */
                period?: "1h" | "24h" | "7d" | "30d";
                /** @description Start of the range (inclusive). Calls count by the time they became active, or else by their creation. */
                started_after?: string;
                /** @description End of the range (exclusive). */
                started_before?: string;
                /** @description Filter by mode: true for calls made with a live key or a session, false for those made with a test key. Default: both. */
                livemode?: boolean;
                /** @description Length of an interval, in UTC; weeks start on Monday. */
                interval?: "hour" | "day" | "week";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "completed": 11,
                     *           "failed": 1,
                     *           "timestamp": "2026-11-01T09:30:00.123456Z",
                     *           "total": 12
                     *         }
                     *       ],
                     *       "interval": "hour"
                     *     }
                     */
                    "application/json": components["schemas"]["VolumeBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-errors": {
        parameters: {
            query?: {
                /** @description Period up to now. Ignored when started_after or started_before is given. */
                period?: "1h" | "24h" | "7d" | "30d";
                /** @description Start of the range (inclusive). Calls count by the time they became active, or else by their creation. */
                started_after?: string;
                /** @description End of the range (exclusive). */
                started_before?: string;
                /** @description Filter by mode: true for calls made with a live key or a session, false for those made with a test key. Default: both. */
                livemode?: boolean;
                /** @description Filter by services. */
                service?: "stt" | "llm" | "tts" | "workflow" | "tool" | "webhook";
                /** @description Severity. error: the call was affected; warning: it was not. */
                level?: "error" | "warning";
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description Number of items to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "agent": "front-desk",
                     *           "call_id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *           "details": {
                     *             "attempt": 2
                     *           },
                     *           "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *           "level": "error",
                     *           "message": "deepgram did not answer in time",
                     *           "service": "stt",
                     *           "timestamp": "2026-11-01T09:30:00.123456Z"
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total": 42
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorLogPage"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-provider-latency": {
        parameters: {
            query?: {
                /** @description Period up to now. Ignored when started_after or started_before is given. */
                period?: "1h" | "24h" | "7d" | "30d";
                /** @description Start of the range (inclusive). Calls count by the time they became active, or else by their creation. */
                started_after?: string;
                /** @description End of the range (exclusive). */
                started_before?: string;
                /** @description Filter by mode: true for calls made with a live key or a session, false for those made with a test key. Default: both. */
                livemode?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "avg_latency_ms": 181.3,
                     *         "call_count": 118,
                     *         "p50_latency_ms": 172,
                     *         "p95_latency_ms": 290,
                     *         "p99_latency_ms": 410,
                     *         "provider_name": "deepgram",
                     *         "provider_type": "stt"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ProviderLatencyItem"][];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-summary": {
        parameters: {
            query?: {
                /** @description Period up to now. Ignored when started_after or started_before is given. */
                period?: "1h" | "24h" | "7d" | "30d";
                /** @description Start of the range (inclusive). Calls count by the time they became active, or else by their creation. */
                started_after?: string;
                /** @description End of the range (exclusive). */
                started_before?: string;
                /** @description Filter by mode: true for calls made with a live key or a session, false for those made with a test key. Default: both. */
                livemode?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active_calls": 1,
                     *       "avg_duration_seconds": 84.2,
                     *       "avg_llm_latency_ms": 320.2,
                     *       "avg_stt_latency_ms": 180.5,
                     *       "avg_tts_latency_ms": 140.8,
                     *       "completed_calls": 117,
                     *       "failed_calls": 2,
                     *       "success_rate": 97.5,
                     *       "total_calls": 120,
                     *       "total_tokens": 1840
                     *     }
                     */
                    "application/json": components["schemas"]["SummaryBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-workflow-stats": {
        parameters: {
            query?: {
                /** @description Period up to now. Ignored when started_after or started_before is given. */
                period?: "1h" | "24h" | "7d" | "30d";
                /** @description Start of the range (inclusive). Calls count by the time they became active, or else by their creation. */
                started_after?: string;
                /** @description End of the range (exclusive). */
                started_before?: string;
                /** @description Filter by mode: true for calls made with a live key or a session, false for those made with a test key. Default: both. */
                livemode?: boolean;
                /** @description Maximum number of items to return. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "avg_duration_seconds": 84.2,
                     *         "completed_calls": 117,
                     *         "failed_calls": 2,
                     *         "success_rate": 97.5,
                     *         "total_calls": 120,
                     *         "workflow_id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *         "workflow_name": "Demo",
                     *         "workflow_slug": "demo"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WorkflowStatsItem"][];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "list-audit-log": {
        parameters: {
            query?: {
                /** @description Filter by actor: the id of a user or API key, or operator. */
                actor?: string;
                /** @description Filter by action, such as agent.update. */
                action?: string;
                /** @description Filter by kind of resource, such as agent. */
                resource_type?: string;
                /** @description Filter by resource: its id, name or slug. */
                resource_id?: string;
                /** @description Only changes at or after this time. */
                from?: string;
                /** @description Only changes before this time. */
                to?: string;
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description Number of items to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "action": "agent.update",
                     *           "actor": {
                     *             "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *             "type": "user"
                     *           },
                     *           "changes": [
                     *             "config.prompt",
                     *             "display_name"
                     *           ],
                     *           "client_address": "192.0.2.17",
                     *           "created_at": "2026-11-01T09:30:00.123456Z",
                     *           "id": "aud_0193a6f0000070008000000000000001",
                     *           "request_id": "8f3c1b7a9d2e4f60a1b2c3d4e5f60718",
                     *           "resource": {
                     *             "id": "0193a6f0-5d20-7c11-8a4b-90c1d2e3f405",
                     *             "name": "front-desk",
                     *             "type": "agent"
                     *           }
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total": 42
                     *     }
                     */
                    "application/json": components["schemas"]["PageAuditEntryBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "list-api-keys": {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description Number of items to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "created_at": "2026-11-01T09:30:00.123456Z",
                     *           "environment": "live",
                     *           "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *           "name": "Backend",
                     *           "prefix": "svc_live_4f1c9a",
                     *           "rate_limit": 600,
                     *           "scopes": [
                     *             "calls:write",
                     *             "calls:read"
                     *           ]
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total": 42
                     *     }
                     */
                    "application/json": components["schemas"]["KeyPage"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "create-api-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "environment": "live",
                 *       "name": "Backend",
                 *       "rate_limit": 600,
                 *       "scopes": [
                 *         "calls:write",
                 *         "calls:read"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateKeyInBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "environment": "live",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "key": "svc_live_4f1c9a0d72e65b3884a1c07f95de263b1f0a8c47d3e96b5210fa84c7b39d61e0a1b2c3d4",
                     *       "name": "Backend",
                     *       "prefix": "svc_live_4f1c9a",
                     *       "rate_limit": 600,
                     *       "scopes": [
                     *         "calls:write",
                     *         "calls:read"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["NewKeyBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "revoke-api-key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the API key (not the key itself). */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "demo@parley.local",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["LoginInBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "eyJhbGciOiJIUzI1NiJ9.eyJ0eXBlIjoiYWNjZXNzIn0.signature",
                     *       "expires_in": 1800,
                     *       "refresh_token": "the-refresh-token-of-this-answer",
                     *       "token_type": "bearer"
                     *     }
                     */
                    "application/json": components["schemas"]["SessionBody"];
                };
            };
            /** @description Unauthorized: `authentication_error` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "the-refresh-token-of-the-last-answer"
                 *     }
                 */
                "application/json": components["schemas"]["RefreshInBody"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "scopes": [
                     *         "calls:write",
                     *         "calls:read"
                     *       ],
                     *       "tenant": {
                     *         "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *         "name": "Acme"
                     *       },
                     *       "user": {
                     *         "created_at": "2026-01-15T08:00:00.000000Z",
                     *         "email": "demo@parley.local",
                     *         "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MeBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    refresh: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "the-refresh-token-of-the-last-answer"
                 *     }
                 */
                "application/json": components["schemas"]["RefreshInBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "eyJhbGciOiJIUzI1NiJ9.eyJ0eXBlIjoiYWNjZXNzIn0.signature",
                     *       "expires_in": 1800,
                     *       "refresh_token": "the-refresh-token-of-this-answer",
                     *       "token_type": "bearer"
                     *     }
                     */
                    "application/json": components["schemas"]["SessionBody"];
                };
            };
            /** @description Unauthorized: `invalid_token`, `token_expired` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "create-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "demo@parley.local",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["CookieLoginInBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "expires_in": 1800
                     *     }
                     */
                    "application/json": components["schemas"]["CookieSessionBody"];
                };
            };
            /** @description Unauthorized: `authentication_error` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "delete-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Forbidden: `authorization_error` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "refresh-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "expires_in": 1800
                     *     }
                     */
                    "application/json": components["schemas"]["CookieSessionBody"];
                };
            };
            /** @description Unauthorized: `invalid_token`, `token_expired` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "list-calls": {
        parameters: {
            query?: {
                /** @description Page number, from 1. */
                page?: number;
                /** @description Number of calls per page. */
                page_size?: number;
                /** @description Filter by status. */
                status?: "pending" | "connecting" | "active" | "completed" | "failed" | "disconnected" | "timeout";
                /** @description Filter by workflow. */
                workflow_id?: string;
                /** @description Your identifier of the user. */
                user_id?: string;
                /** @description Only calls that became active at or after this time. Calls that never became active count by their creation. */
                started_after?: string;
                /** @description Only calls that became active before this time. Calls that never became active count by their creation. */
                started_before?: string;
                /** @description Filter by mode: true for calls made with a live key or a session, false for those made with a test key. Default: both. */
                livemode?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "agent_history": [
                     *             "front-desk"
                     *           ],
                     *           "call_type": "voip",
                     *           "duration_seconds": 72,
                     *           "ended_at": "2026-11-01T09:31:16.250000Z",
                     *           "held": false,
                     *           "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *           "started_at": "2026-11-01T09:30:04.500000Z",
                     *           "status": "completed",
                     *           "user_id": "customer-4711",
                     *           "workflow_id": "0193a6f0-5d20-7c11-8a4b-90c1d2e3f405",
                     *           "workflow_slug": "demo"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "page_size": 20,
                     *       "pages": 3,
                     *       "total": 42
                     *     }
                     */
                    "application/json": components["schemas"]["CallPage"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "start-call": {
        parameters: {
            query?: never;
            header?: {
                /** @description Idempotency key. A repeated request with the same key within 24 hours returns the first response and starts no second call. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "call_type": "voip",
                 *       "metadata": {
                 *         "order": "4711"
                 *       },
                 *       "user_context": {
                 *         "name": "Ann"
                 *       },
                 *       "user_id": "customer-4711",
                 *       "workflow_slug": "demo"
                 *     }
                 */
                "application/json": components["schemas"]["StartCallBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "call_id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "room_name": "call-0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "status": "pending",
                     *       "token": "eyJhbGciOiJIUzI1NiJ9.eyJ2aWRlbyI6eyJyb29tSm9pbiI6dHJ1ZX19.signature",
                     *       "url": "wss://voice.example.com"
                     *     }
                     */
                    "application/json": components["schemas"]["StartedBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "list-active-calls": {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description Filter by mode: true for calls made with a live key or a session, false for those made with a test key. Default: both. */
                livemode?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "call_type": "voip",
                     *         "current_agent": "front-desk",
                     *         "held": false,
                     *         "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *         "started_at": "2026-11-01T09:30:04.500000Z",
                     *         "status": "active",
                     *         "user_id": "customer-4711",
                     *         "workflow_slug": "demo"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ActiveCallItem"][];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "test-agent": {
        parameters: {
            query?: never;
            header?: {
                /** @description Idempotency key. A repeated request with the same key within 24 hours returns the first response and starts no second call. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent_name": "demo",
                 *       "user_context": {
                 *         "name": "Ann"
                 *       },
                 *       "user_id": "customer-4711"
                 *     }
                 */
                "application/json": components["schemas"]["TestAgentBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "call_id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "room_name": "call-0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "status": "pending",
                     *       "token": "eyJhbGciOiJIUzI1NiJ9.eyJ2aWRlbyI6eyJyb29tSm9pbiI6dHJ1ZX19.signature",
                     *       "url": "wss://voice.example.com"
                     *     }
                     */
                    "application/json": components["schemas"]["StartedBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-call": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the call. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agent_history": [
                     *         "front-desk"
                     *       ],
                     *       "agent_name": null,
                     *       "attestation": null,
                     *       "call_type": "voip",
                     *       "caller_name": null,
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "current_agent": null,
                     *       "direction": "inbound",
                     *       "duration_seconds": 72,
                     *       "ended_at": "2026-11-01T09:31:16.250000Z",
                     *       "from": null,
                     *       "held": false,
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "livemode": true,
                     *       "metadata": {
                     *         "order": "4711"
                     *       },
                     *       "metrics": {
                     *         "agent_handoffs": 1,
                     *         "duration_seconds": 72,
                     *         "llm_latency_ms": 320.2,
                     *         "stt_latency_ms": 180.5,
                     *         "total_tokens": 1840,
                     *         "tts_latency_ms": 140.8
                     *       },
                     *       "phone_number": null,
                     *       "room_name": "call-0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "started_at": "2026-11-01T09:30:04.500000Z",
                     *       "status": "completed",
                     *       "status_reason": "caller_hangup",
                     *       "user_id": "customer-4711",
                     *       "verstat": null,
                     *       "workflow_id": "0193a6f0-5d20-7c11-8a4b-90c1d2e3f405",
                     *       "workflow_slug": "demo"
                     *     }
                     */
                    "application/json": components["schemas"]["CallBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "end-call": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the call. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agent_history": [
                     *         "front-desk"
                     *       ],
                     *       "agent_name": null,
                     *       "attestation": null,
                     *       "call_type": "voip",
                     *       "caller_name": null,
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "current_agent": null,
                     *       "direction": "inbound",
                     *       "duration_seconds": 72,
                     *       "ended_at": "2026-11-01T09:31:16.250000Z",
                     *       "from": null,
                     *       "held": false,
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "livemode": true,
                     *       "metadata": {
                     *         "order": "4711"
                     *       },
                     *       "metrics": {
                     *         "agent_handoffs": 1,
                     *         "duration_seconds": 72,
                     *         "llm_latency_ms": 320.2,
                     *         "stt_latency_ms": 180.5,
                     *         "total_tokens": 1840,
                     *         "tts_latency_ms": 140.8
                     *       },
                     *       "phone_number": null,
                     *       "room_name": "call-0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "started_at": "2026-11-01T09:30:04.500000Z",
                     *       "status": "completed",
                     *       "status_reason": "caller_hangup",
                     *       "user_id": "customer-4711",
                     *       "verstat": null,
                     *       "workflow_id": "0193a6f0-5d20-7c11-8a4b-90c1d2e3f405",
                     *       "workflow_slug": "demo"
                     *     }
                     */
                    "application/json": components["schemas"]["CallBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-call-metrics": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the call. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agent_handoffs": 1,
                     *       "agents": [
                     *         {
                     *           "agent": "front-desk",
                     *           "llm_latency_ms": 320.2,
                     *           "stt_latency_ms": 180.5,
                     *           "total_tokens": 1840,
                     *           "tts_latency_ms": 140.8,
                     *           "turns": 6,
                     *           "voice_to_voice_ms": 690.4
                     *         }
                     *       ],
                     *       "duration_seconds": 72,
                     *       "llm_latency_ms": 320.2,
                     *       "stt_latency_ms": 180.5,
                     *       "total_tokens": 1840,
                     *       "tts_latency_ms": 140.8
                     *     }
                     */
                    "application/json": components["schemas"]["CallMetricsBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-call-prompts": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the call. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agents": [
                     *         {
                     *           "agent": "front-desk",
                     *           "system": "You are the front desk of {{prompt.company}}."
                     *         }
                     *       ],
                     *       "prompts": [
                     *         {
                     *           "content": {
                     *             "en": "Parley Inc."
                     *           },
                     *           "slug": "company"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CallPromptsBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-call-recording": {
        parameters: {
            query?: never;
            header?: {
                /** @description Byte range of the recording (RFC 9110, section 14.2). Ignored for a recording in several parts, of a call that another worker took over. */
                Range?: string;
            };
            path: {
                /** @description Unique identifier of the call. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recording. */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "audio/ogg; codecs=opus": string;
                };
            };
            /** @description The requested ranges; several as `multipart/byteranges` (RFC 9110, section 14.6). */
            206: {
                headers: {
                    "Content-Range": components["headers"]["Content-Range"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "audio/ogg; codecs=opus": string;
                    "multipart/byteranges": string;
                };
            };
            /** @description The recording is older than `If-Modified-Since`. */
            304: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Precondition Failed: `precondition_failed` */
            412: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Requested Range Not Satisfiable: `range_not_satisfiable` */
            416: {
                headers: {
                    "Content-Range": components["headers"]["Content-Range"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-call-sip-messages": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the call. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "direction": "received",
                     *         "message": "SIP/2.0 200 OK\r\nCSeq: 1 INVITE\r\n",
                     *         "peer": "203.0.113.7:5060",
                     *         "sip_call_id": "a84b4c76e66710@pbx.example.com",
                     *         "start_line": "SIP/2.0 200 OK",
                     *         "timestamp": "2026-11-01T09:30:00.123456Z",
                     *         "transport": "udp"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SipMessageBody"][];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-call-timeline": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the call. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "type": "tool_call",
                     *         "timestamp": "2026-11-01T09:30:31.004500Z",
                     *         "agent": "front-desk",
                     *         "name": "look_up_order",
                     *         "arguments": {
                     *           "number": "4711"
                     *         },
                     *         "duration_ms": 84
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["MomentBody"][];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-call-transcript": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the call. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "agent_name": "front-desk",
                     *         "content": "Good morning, how can I help?",
                     *         "dtmf": true,
                     *         "role": "assistant",
                     *         "timestamp": "2026-11-01T09:30:00.123456Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["TranscriptBody"][];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "list-limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "limit": 5000,
                     *           "name": "agents",
                     *           "used": 12
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ItemsBodyLimitBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-media-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "mode": "embedded",
                     *       "tcp_port": 7881,
                     *       "udp_port": 7882
                     *     }
                     */
                    "application/json": components["schemas"]["MediaServerBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "list-phone-numbers": {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description Number of items to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "agent_name": null,
                     *           "created_at": "2026-11-01T09:30:00.123456Z",
                     *           "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *           "number": "+4930123456",
                     *           "trunk_id": null,
                     *           "workflow_slug": "demo"
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total": 42
                     *     }
                     */
                    "application/json": components["schemas"]["PagePhoneNumberBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "create-phone-number": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "number": "+4930123456",
                 *       "workflow_slug": "demo"
                 *     }
                 */
                "application/json": components["schemas"]["CreatePhoneNumberBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agent_name": null,
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "number": "+4930123456",
                     *       "trunk_id": null,
                     *       "workflow_slug": "demo"
                     *     }
                     */
                    "application/json": components["schemas"]["PhoneNumberBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "delete-phone-number": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the phone number. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-phone-number-sip-messages": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the phone number. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "direction": "received",
                     *         "message": "SIP/2.0 200 OK\r\nCSeq: 1 INVITE\r\n",
                     *         "peer": "203.0.113.7:5060",
                     *         "sip_call_id": "a84b4c76e66710@pbx.example.com",
                     *         "start_line": "SIP/2.0 200 OK",
                     *         "timestamp": "2026-11-01T09:30:00.123456Z",
                     *         "transport": "udp"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SipMessageBody"][];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "list-prompts": {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description Number of items to skip. */
                offset?: number;
                /** @description Filter by category. */
                category?: "greeting" | "closing" | "instruction" | "error";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "category": "greeting",
                     *           "created_at": "2026-11-01T09:30:00.123456Z",
                     *           "description": "How a call begins.",
                     *           "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *           "is_system": false,
                     *           "name": "Welcome",
                     *           "slug": "welcome",
                     *           "tenant_id": null,
                     *           "updated_at": "2026-11-01T09:30:00.123456Z",
                     *           "version": 2
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total": 42
                     *     }
                     */
                    "application/json": components["schemas"]["PagePromptItem"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "create-prompt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "category": "instruction",
                 *       "content": {
                 *         "en": "Hello {{customer_name}}!"
                 *       },
                 *       "description": "How a call begins.",
                 *       "metadata": {
                 *         "interruptible": true,
                 *         "voice_speed": 1.1
                 *       },
                 *       "name": "Welcome",
                 *       "slug": "welcome"
                 *     }
                 */
                "application/json": components["schemas"]["PromptFields"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "category": "greeting",
                     *       "content": {
                     *         "en": "Hello {{customer_name}}!"
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "description": "How a call begins.",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "is_system": false,
                     *       "metadata": {
                     *         "interruptible": true,
                     *         "voice_speed": 1.1
                     *       },
                     *       "name": "Welcome",
                     *       "slug": "welcome",
                     *       "tenant_id": null,
                     *       "updated_at": "2026-11-01T09:30:00.123456Z",
                     *       "variables": [
                     *         {
                     *           "name": "customer_name",
                     *           "type": "string"
                     *         }
                     *       ],
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["PromptBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "export-prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "templates": [
                     *         {
                     *           "category": "instruction",
                     *           "content": {
                     *             "en": "Hello {{customer_name}}!"
                     *           },
                     *           "description": "How a call begins.",
                     *           "metadata": {
                     *             "interruptible": true,
                     *             "voice_speed": 1.1
                     *           },
                     *           "name": "Welcome",
                     *           "slug": "welcome"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PromptsBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "import-prompts": {
        parameters: {
            query?: {
                /** @description Whether to skip invalid templates instead of rejecting the whole import. Default: false. */
                partial?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "templates": [
                 *         {
                 *           "category": "instruction",
                 *           "content": {
                 *             "en": "Hello {{customer_name}}!"
                 *           },
                 *           "description": "How a call begins.",
                 *           "metadata": {
                 *             "interruptible": true,
                 *             "voice_speed": 1.1
                 *           },
                 *           "name": "Welcome",
                 *           "slug": "welcome"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PromptsBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created": 2,
                     *       "errors": [
                     *         {
                     *           "field": "config.nodes[2].agent_name",
                     *           "message": "is required"
                     *         }
                     *       ],
                     *       "updated": 1
                     *     }
                     */
                    "application/json": components["schemas"]["ImportedBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-prompt": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the template. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "category": "greeting",
                     *       "content": {
                     *         "en": "Hello {{customer_name}}!"
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "description": "How a call begins.",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "is_system": false,
                     *       "metadata": {
                     *         "interruptible": true,
                     *         "voice_speed": 1.1
                     *       },
                     *       "name": "Welcome",
                     *       "slug": "welcome",
                     *       "tenant_id": null,
                     *       "updated_at": "2026-11-01T09:30:00.123456Z",
                     *       "variables": [
                     *         {
                     *           "name": "customer_name",
                     *           "type": "string"
                     *         }
                     *       ],
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["PromptBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "delete-prompt": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the template. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "update-prompt": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the template. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "category": "greeting",
                 *       "content": {
                 *         "de": "Hallo {{customer_name}}!"
                 *       },
                 *       "description": "How a call begins.",
                 *       "metadata": {
                 *         "order": "4711"
                 *       },
                 *       "name": "Welcome"
                 *     }
                 */
                "application/json": components["schemas"]["UpdatePromptFields"];
                /**
                 * @example {
                 *       "category": "greeting",
                 *       "content": {
                 *         "de": "Hallo {{customer_name}}!"
                 *       },
                 *       "description": "How a call begins.",
                 *       "metadata": {
                 *         "order": "4711"
                 *       },
                 *       "name": "Welcome"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["UpdatePromptFields"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "category": "greeting",
                     *       "content": {
                     *         "en": "Hello {{customer_name}}!"
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "description": "How a call begins.",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "is_system": false,
                     *       "metadata": {
                     *         "interruptible": true,
                     *         "voice_speed": 1.1
                     *       },
                     *       "name": "Welcome",
                     *       "slug": "welcome",
                     *       "tenant_id": null,
                     *       "updated_at": "2026-11-01T09:30:00.123456Z",
                     *       "variables": [
                     *         {
                     *           "name": "customer_name",
                     *           "type": "string"
                     *         }
                     *       ],
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["PromptBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "preview-prompt": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the template. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "context": {
                 *         "customer_name": "Ann"
                 *       },
                 *       "language": "en"
                 *     }
                 */
                "application/json": components["schemas"]["PreviewPromptInBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "language": "en",
                     *       "missing": [],
                     *       "text": "Hello Ann!"
                     *     }
                     */
                    "application/json": components["schemas"]["PreviewBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "rollback-prompt": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the template. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "version": 1
                 *     }
                 */
                "application/json": components["schemas"]["RollbackPromptInBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "category": "greeting",
                     *       "content": {
                     *         "en": "Hello {{customer_name}}!"
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "description": "How a call begins.",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "is_system": false,
                     *       "metadata": {
                     *         "interruptible": true,
                     *         "voice_speed": 1.1
                     *       },
                     *       "name": "Welcome",
                     *       "slug": "welcome",
                     *       "tenant_id": null,
                     *       "updated_at": "2026-11-01T09:30:00.123456Z",
                     *       "variables": [
                     *         {
                     *           "name": "customer_name",
                     *           "type": "string"
                     *         }
                     *       ],
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["PromptBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "list-prompt-versions": {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description Number of items to skip. */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description Slug of the template. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "category": "greeting",
                     *           "content": {
                     *             "en": "Hello {{customer_name}}!"
                     *           },
                     *           "created_at": "2026-11-01T09:30:00.123456Z",
                     *           "description": "How a call begins.",
                     *           "metadata": {
                     *             "interruptible": true,
                     *             "voice_speed": 1.1
                     *           },
                     *           "name": "Welcome",
                     *           "variables": [
                     *             {
                     *               "name": "customer_name",
                     *               "type": "string"
                     *             }
                     *           ],
                     *           "version": 2
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total": 42
                     *     }
                     */
                    "application/json": components["schemas"]["PagePromptVersionBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "list-provider-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "base_url": "https://models.example.com/v1",
                     *           "created_at": "2026-11-01T09:30:00.123456Z",
                     *           "hint": "a1b2",
                     *           "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *           "is_default": false,
                     *           "provider_name": "deepgram",
                     *           "provider_type": "stt"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ItemsBodyProviderKeyBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "create-provider-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "api_key": "your-key-of-the-provider",
                 *       "base_url": "https://models.example.com/v1",
                 *       "is_default": true,
                 *       "provider_name": "deepgram",
                 *       "provider_type": "stt"
                 *     }
                 */
                "application/json": components["schemas"]["CreateProviderKeyBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "base_url": "https://models.example.com/v1",
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "hint": "a1b2",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "is_default": false,
                     *       "provider_name": "deepgram",
                     *       "provider_type": "stt"
                     *     }
                     */
                    "application/json": components["schemas"]["ProviderKeyBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "delete-provider-key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the provider key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "check-provider-key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the provider key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "401 Unauthorized: Invalid credentials.",
                     *       "result": "refused"
                     *     }
                     */
                    "application/json": components["schemas"]["KeyCheckBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "list-providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "demo": false,
                     *           "key_source": "tenant",
                     *           "kind": "stt",
                     *           "label": "Deepgram",
                     *           "lacks": "the stt provider \"deepgram\" is not set up on this server: it needs DEEPGRAM_API_KEY or the tenant's own key",
                     *           "model_details": [
                     *             {
                     *               "languages": [
                     *                 "en",
                     *                 "de"
                     *               ],
                     *               "name": "nova-3",
                     *               "shutdown_date": "2027-01-14",
                     *               "status": "current"
                     *             }
                     *           ],
                     *           "models": [
                     *             "nova-3"
                     *           ],
                     *           "name": "deepgram"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ItemsBodyProviderBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "list-sip-trunks": {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description Number of items to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "accept_transfers": false,
                     *           "address": "sip.example.com:5061",
                     *           "allow_uris": false,
                     *           "allowed_addresses": [
                     *             "203.0.113.0/24"
                     *           ],
                     *           "caller_id": "+4930123456",
                     *           "created_at": "2026-11-01T09:30:00.123456Z",
                     *           "default_country": "US",
                     *           "from_domain": "acme.example",
                     *           "has_password": true,
                     *           "headers": {
                     *             "X-Account": "********"
                     *           },
                     *           "headers_in": [
                     *             "X-Account"
                     *           ],
                     *           "headers_out": [
                     *             "X-Order"
                     *           ],
                     *           "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *           "identity": "p_asserted",
                     *           "is_default": false,
                     *           "media_encryption": "off",
                     *           "name": "Carrier",
                     *           "privacy": "none",
                     *           "transport": "udp",
                     *           "updated_at": "2026-11-01T09:30:00.123456Z",
                     *           "username": "parley"
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total": 42
                     *     }
                     */
                    "application/json": components["schemas"]["PageTrunkBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "create-sip-trunk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "accept_transfers": false,
                 *       "address": "sip.example.com:5061",
                 *       "allow_uris": false,
                 *       "allowed_addresses": [
                 *         "203.0.113.0/24"
                 *       ],
                 *       "caller_id": "+4930123456",
                 *       "default_country": "US",
                 *       "from_domain": "acme.example",
                 *       "headers": {
                 *         "X-Account": "4711"
                 *       },
                 *       "headers_in": [
                 *         "X-Account"
                 *       ],
                 *       "headers_out": [
                 *         "X-Order"
                 *       ],
                 *       "identity": "p_asserted",
                 *       "media_encryption": "off",
                 *       "name": "Carrier",
                 *       "password": "correct horse battery staple",
                 *       "privacy": "none",
                 *       "transport": "udp",
                 *       "username": "parley"
                 *     }
                 */
                "application/json": components["schemas"]["CreateTrunkBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accept_transfers": false,
                     *       "address": "sip.example.com:5061",
                     *       "allow_uris": false,
                     *       "allowed_addresses": [
                     *         "203.0.113.0/24"
                     *       ],
                     *       "caller_id": "+4930123456",
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "default_country": "US",
                     *       "from_domain": "acme.example",
                     *       "has_password": true,
                     *       "headers": {
                     *         "X-Account": "********"
                     *       },
                     *       "headers_in": [
                     *         "X-Account"
                     *       ],
                     *       "headers_out": [
                     *         "X-Order"
                     *       ],
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "identity": "p_asserted",
                     *       "is_default": false,
                     *       "media_encryption": "off",
                     *       "name": "Carrier",
                     *       "privacy": "none",
                     *       "transport": "udp",
                     *       "updated_at": "2026-11-01T09:30:00.123456Z",
                     *       "username": "parley"
                     *     }
                     */
                    "application/json": components["schemas"]["TrunkBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-sip-trunk": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the trunk. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accept_transfers": false,
                     *       "address": "sip.example.com:5061",
                     *       "allow_uris": false,
                     *       "allowed_addresses": [
                     *         "203.0.113.0/24"
                     *       ],
                     *       "caller_id": "+4930123456",
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "default_country": "US",
                     *       "from_domain": "acme.example",
                     *       "has_password": true,
                     *       "headers": {
                     *         "X-Account": "********"
                     *       },
                     *       "headers_in": [
                     *         "X-Account"
                     *       ],
                     *       "headers_out": [
                     *         "X-Order"
                     *       ],
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "identity": "p_asserted",
                     *       "is_default": false,
                     *       "media_encryption": "off",
                     *       "name": "Carrier",
                     *       "privacy": "none",
                     *       "transport": "udp",
                     *       "updated_at": "2026-11-01T09:30:00.123456Z",
                     *       "username": "parley"
                     *     }
                     */
                    "application/json": components["schemas"]["TrunkBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "delete-sip-trunk": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the trunk. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "update-sip-trunk": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the trunk. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "accept_transfers": false,
                 *       "address": "sip.example.com:5061",
                 *       "allow_uris": false,
                 *       "allowed_addresses": [
                 *         "203.0.113.0/24"
                 *       ],
                 *       "caller_id": "+4930123456",
                 *       "default_country": "US",
                 *       "from_domain": "acme.example",
                 *       "headers": {
                 *         "X-Account": "4711"
                 *       },
                 *       "headers_in": [
                 *         "X-Account"
                 *       ],
                 *       "headers_out": [
                 *         "X-Order"
                 *       ],
                 *       "identity": "p_asserted",
                 *       "media_encryption": "off",
                 *       "name": "Carrier",
                 *       "password": "correct horse battery staple",
                 *       "privacy": "none",
                 *       "transport": "udp",
                 *       "username": "parley"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateTrunkFields"];
                /**
                 * @example {
                 *       "accept_transfers": false,
                 *       "address": "sip.example.com:5061",
                 *       "allow_uris": false,
                 *       "allowed_addresses": [
                 *         "203.0.113.0/24"
                 *       ],
                 *       "caller_id": "+4930123456",
                 *       "default_country": "US",
                 *       "from_domain": "acme.example",
                 *       "headers": {
                 *         "X-Account": "4711"
                 *       },
                 *       "headers_in": [
                 *         "X-Account"
                 *       ],
                 *       "headers_out": [
                 *         "X-Order"
                 *       ],
                 *       "identity": "p_asserted",
                 *       "media_encryption": "off",
                 *       "name": "Carrier",
                 *       "password": "correct horse battery staple",
                 *       "privacy": "none",
                 *       "transport": "udp",
                 *       "username": "parley"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["UpdateTrunkFields"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accept_transfers": false,
                     *       "address": "sip.example.com:5061",
                     *       "allow_uris": false,
                     *       "allowed_addresses": [
                     *         "203.0.113.0/24"
                     *       ],
                     *       "caller_id": "+4930123456",
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "default_country": "US",
                     *       "from_domain": "acme.example",
                     *       "has_password": true,
                     *       "headers": {
                     *         "X-Account": "********"
                     *       },
                     *       "headers_in": [
                     *         "X-Account"
                     *       ],
                     *       "headers_out": [
                     *         "X-Order"
                     *       ],
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "identity": "p_asserted",
                     *       "is_default": false,
                     *       "media_encryption": "off",
                     *       "name": "Carrier",
                     *       "privacy": "none",
                     *       "transport": "udp",
                     *       "updated_at": "2026-11-01T09:30:00.123456Z",
                     *       "username": "parley"
                     *     }
                     */
                    "application/json": components["schemas"]["TrunkBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "check-sip-trunk": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the trunk. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "duration_ms": 34,
                     *       "message": "The trunk responds.",
                     *       "reached": true,
                     *       "sip_status": 200
                     *     }
                     */
                    "application/json": components["schemas"]["TrunkCheckBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "stream-calls": {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the last message received from an earlier stream. The stream then also sends the calls that have ended since. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of messages (server-sent events) until it is closed. */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "data": {
                     *           "message": "connected",
                     *           "tenant_id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12"
                     *         },
                     *         "event": "connected",
                     *         "id": "17"
                     *       }
                     *     ]
                     */
                    "text/event-stream": ({
                        /** @description Content of the message. */
                        data: components["schemas"]["Connected"];
                        /**
                         * @description Type of the message.
                         * @enum {string}
                         */
                        event: "connected";
                        /**
                         * @description Position in the stream, for Last-Event-ID.
                         * @example 17
                         */
                        id: string;
                    } | {
                        /** @description Content of the message. */
                        data: components["schemas"]["ActiveCount"];
                        /**
                         * @description Type of the message.
                         * @enum {string}
                         */
                        event: "active_count";
                        /**
                         * @description Position in the stream, for Last-Event-ID.
                         * @example 17
                         */
                        id: string;
                    } | {
                        /** @description Content of the message. */
                        data: components["schemas"]["CallsUpdate"];
                        /**
                         * @description Type of the message.
                         * @enum {string}
                         */
                        event: "calls_update";
                        /**
                         * @description Position in the stream, for Last-Event-ID.
                         * @example 17
                         */
                        id: string;
                    } | {
                        /** @description Content of the message. */
                        data: components["schemas"]["Heartbeat"];
                        /**
                         * @description Type of the message.
                         * @enum {string}
                         */
                        event: "heartbeat";
                        /**
                         * @description Position in the stream, for Last-Event-ID.
                         * @example 17
                         */
                        id: string;
                    } | {
                        /** @description Content of the message. */
                        data: components["schemas"]["CallsProblem"];
                        /**
                         * @description Type of the message.
                         * @enum {string}
                         */
                        event: "error";
                        /**
                         * @description Position in the stream, for Last-Event-ID.
                         * @example 17
                         */
                        id: string;
                    })[];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "stream-call": {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the last message received from an earlier stream. The stream then sends only later parts of the conversation. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description Unique identifier of the call. */
                call_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of messages (server-sent events) until it is closed. */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "data": {
                     *           "call_id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *           "message": "connected"
                     *         },
                     *         "event": "connected",
                     *         "id": "17"
                     *       }
                     *     ]
                     */
                    "text/event-stream": ({
                        /** @description Content of the message. */
                        data: components["schemas"]["CallConnected"];
                        /**
                         * @description Type of the message.
                         * @enum {string}
                         */
                        event: "connected";
                        /**
                         * @description Position in the stream, for Last-Event-ID.
                         * @example 17
                         */
                        id: string;
                    } | {
                        /** @description Content of the message. */
                        data: components["schemas"]["CallStatus"];
                        /**
                         * @description Type of the message.
                         * @enum {string}
                         */
                        event: "status";
                        /**
                         * @description Position in the stream, for Last-Event-ID.
                         * @example 17
                         */
                        id: string;
                    } | {
                        /** @description Content of the message. */
                        data: components["schemas"]["Transcript"];
                        /**
                         * @description Type of the message.
                         * @enum {string}
                         */
                        event: "transcript";
                        /**
                         * @description Position in the stream, for Last-Event-ID.
                         * @example 17
                         */
                        id: string;
                    } | {
                        /** @description Content of the message. */
                        data: components["schemas"]["AgentChanged"];
                        /**
                         * @description Type of the message.
                         * @enum {string}
                         */
                        event: "agent_changed";
                        /**
                         * @description Position in the stream, for Last-Event-ID.
                         * @example 17
                         */
                        id: string;
                    } | {
                        /** @description Content of the message. */
                        data: components["schemas"]["Ended"];
                        /**
                         * @description Type of the message.
                         * @enum {string}
                         */
                        event: "ended";
                        /**
                         * @description Position in the stream, for Last-Event-ID.
                         * @example 17
                         */
                        id: string;
                    } | {
                        /** @description Content of the message. */
                        data: components["schemas"]["Heartbeat"];
                        /**
                         * @description Type of the message.
                         * @enum {string}
                         */
                        event: "heartbeat";
                        /**
                         * @description Position in the stream, for Last-Event-ID.
                         * @example 17
                         */
                        id: string;
                    } | {
                        /** @description Content of the message. */
                        data: components["schemas"]["CallProblem"];
                        /**
                         * @description Type of the message.
                         * @enum {string}
                         */
                        event: "error";
                        /**
                         * @description Position in the stream, for Last-Event-ID.
                         * @example 17
                         */
                        id: string;
                    })[];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "list-tools": {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description Number of items to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "created_at": "2026-11-01T09:30:00.123456Z",
                     *           "description": "Finds an order by its number.",
                     *           "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *           "name": "look_up_order",
                     *           "updated_at": "2026-11-01T09:30:00.123456Z"
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total": 42
                     *     }
                     */
                    "application/json": components["schemas"]["PageToolItem"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "create-tool": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "config": {
                 *         "parameters": [
                 *           {
                 *             "name": "number",
                 *             "type": "string",
                 *             "required": true,
                 *             "description": "The order's number."
                 *           }
                 *         ],
                 *         "actions": [
                 *           {
                 *             "type": "api_call",
                 *             "method": "GET",
                 *             "url": "https://shop.example.com/orders/{{params.number}}",
                 *             "headers": {
                 *               "Authorization": "Bearer {{user.auth_token}}"
                 *             },
                 *             "timeout": 15,
                 *             "retry_count": 1
                 *           }
                 *         ],
                 *         "filler": "Let me look that up."
                 *       },
                 *       "description": "Finds an order by its number.",
                 *       "name": "look_up_order"
                 *     }
                 */
                "application/json": components["schemas"]["CreateToolBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "config": {
                     *         "parameters": [
                     *           {
                     *             "name": "number",
                     *             "type": "string",
                     *             "required": true,
                     *             "description": "The order's number."
                     *           }
                     *         ],
                     *         "actions": [
                     *           {
                     *             "type": "api_call",
                     *             "method": "GET",
                     *             "url": "https://shop.example.com/orders/{{params.number}}",
                     *             "headers": {
                     *               "Authorization": "Bearer {{user.auth_token}}"
                     *             },
                     *             "timeout": 15,
                     *             "retry_count": 1
                     *           }
                     *         ],
                     *         "filler": "Let me look that up."
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "description": "Finds an order by its number.",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "name": "look_up_order",
                     *       "updated_at": "2026-11-01T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ToolBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-tool": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the tool. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "config": {
                     *         "parameters": [
                     *           {
                     *             "name": "number",
                     *             "type": "string",
                     *             "required": true,
                     *             "description": "The order's number."
                     *           }
                     *         ],
                     *         "actions": [
                     *           {
                     *             "type": "api_call",
                     *             "method": "GET",
                     *             "url": "https://shop.example.com/orders/{{params.number}}",
                     *             "headers": {
                     *               "Authorization": "Bearer {{user.auth_token}}"
                     *             },
                     *             "timeout": 15,
                     *             "retry_count": 1
                     *           }
                     *         ],
                     *         "filler": "Let me look that up."
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "description": "Finds an order by its number.",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "name": "look_up_order",
                     *       "updated_at": "2026-11-01T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ToolBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "update-tool": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the tool. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "config": {
                 *         "filler": "One moment, please."
                 *       },
                 *       "description": "Finds an order by its number."
                 *     }
                 */
                "application/json": {
                    /** @description Configuration. */
                    config?: {
                        /** @description Actions of the tool, in order. */
                        actions?: components["schemas"]["Action"][] | null;
                        /**
                         * @description Text that the agent speaks during a long call of the tool. Default: "One moment, please."; empty for none.
                         * @example Let me look that up.
                         */
                        filler?: string | null;
                        /** @description Parameters of the tool, available to actions as {{params.<name>}}. */
                        parameters?: components["schemas"]["Parameter"][] | null;
                    } & {
                        [key: string]: unknown;
                    };
                    /**
                     * @description Purpose of the tool, for the language model.
                     * @example Finds an order by its number.
                     */
                    description?: string | null;
                } & {
                    [key: string]: unknown;
                };
                /**
                 * @example {
                 *       "config": {
                 *         "filler": "One moment, please."
                 *       },
                 *       "description": "Finds an order by its number."
                 *     }
                 */
                "application/merge-patch+json": {
                    /** @description Configuration. */
                    config?: {
                        /** @description Actions of the tool, in order. */
                        actions?: components["schemas"]["Action"][] | null;
                        /**
                         * @description Text that the agent speaks during a long call of the tool. Default: "One moment, please."; empty for none.
                         * @example Let me look that up.
                         */
                        filler?: string | null;
                        /** @description Parameters of the tool, available to actions as {{params.<name>}}. */
                        parameters?: components["schemas"]["Parameter"][] | null;
                    } & {
                        [key: string]: unknown;
                    };
                    /**
                     * @description Purpose of the tool, for the language model.
                     * @example Finds an order by its number.
                     */
                    description?: string | null;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "config": {
                     *         "parameters": [
                     *           {
                     *             "name": "number",
                     *             "type": "string",
                     *             "required": true,
                     *             "description": "The order's number."
                     *           }
                     *         ],
                     *         "actions": [
                     *           {
                     *             "type": "api_call",
                     *             "method": "GET",
                     *             "url": "https://shop.example.com/orders/{{params.number}}",
                     *             "headers": {
                     *               "Authorization": "Bearer {{user.auth_token}}"
                     *             },
                     *             "timeout": 15,
                     *             "retry_count": 1
                     *           }
                     *         ],
                     *         "filler": "Let me look that up."
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "description": "Finds an order by its number.",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "name": "look_up_order",
                     *       "updated_at": "2026-11-01T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ToolBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "delete-tool": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the tool. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "try-tool": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the tool. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "arguments": {
                 *         "order_id": "4711"
                 *       },
                 *       "context": {
                 *         "user": {
                 *           "name": "Ann"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TryToolBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "answer": "The order is on its way.",
                     *       "changes": [
                     *         {
                     *           "path": "workflow.order",
                     *           "value": 4711
                     *         }
                     *       ],
                     *       "problems": [
                     *         {
                     *           "level": "error",
                     *           "message": "tool look_up_order: names {{user.plan}}, which this call does not have"
                     *         }
                     *       ],
                     *       "requests": [
                     *         {
                     *           "answer": "{\"state\":\"sent\"}",
                     *           "attempts": 1,
                     *           "body": {
                     *             "expand": true
                     *           },
                     *           "duration_ms": 84,
                     *           "error": "no answer within 15 s",
                     *           "headers": {
                     *             "Authorization": "Bearer ***"
                     *           },
                     *           "method": "GET",
                     *           "status": 200,
                     *           "url": "https://api.example.com/orders/4711"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ToolTrialBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "enabled": true,
                     *       "filter": {
                     *         "events": [
                     *           "call.completed",
                     *           "call.failed"
                     *         ],
                     *         "include_context": false,
                     *         "include_metrics": true,
                     *         "include_transcript": false
                     *       },
                     *       "headers": {
                     *         "Authorization": "********"
                     *       },
                     *       "id": "whk_0193a6f0000070008000000000000001",
                     *       "max_retries": 5,
                     *       "payload_format": "event",
                     *       "retry_policy": "extended",
                     *       "timeout": 30,
                     *       "updated_at": "2026-11-01T09:30:00.123456Z",
                     *       "url": "https://example.com/hooks/parley"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "put-webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": true,
                 *       "max_retries": 5,
                 *       "payload_format": "event",
                 *       "retry_policy": "extended",
                 *       "timeout": 30,
                 *       "url": "https://example.com/hooks/parley"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookSettingsBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "enabled": true,
                     *       "filter": {
                     *         "events": [
                     *           "call.completed",
                     *           "call.failed"
                     *         ],
                     *         "include_context": false,
                     *         "include_metrics": true,
                     *         "include_transcript": false
                     *       },
                     *       "headers": {
                     *         "Authorization": "********"
                     *       },
                     *       "id": "whk_0193a6f0000070008000000000000001",
                     *       "max_retries": 5,
                     *       "payload_format": "event",
                     *       "retry_policy": "extended",
                     *       "secret": "whsec_3f9a1c07e2b84d56a0c1f7e93b2d4a68",
                     *       "timeout": 30,
                     *       "updated_at": "2026-11-01T09:30:00.123456Z",
                     *       "url": "https://example.com/hooks/parley"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "delete-webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "patch-webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": true,
                 *       "filter": {
                 *         "include_transcript": true
                 *       },
                 *       "max_retries": 5,
                 *       "payload_format": "event",
                 *       "retry_policy": "extended",
                 *       "timeout": 30,
                 *       "url": "https://example.com/hooks/parley"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Whether events are sent. Default: true.
                     * @example true
                     */
                    enabled?: boolean | null;
                    /** @description Which events are sent, and what they include. */
                    filter?: ({
                        /**
                         * @description Event types to send. Default: all.
                         * @example [
                         *       "call.completed",
                         *       "call.failed"
                         *     ]
                         */
                        events?: ("call.started" | "call.connected" | "call.completed" | "call.failed" | "call.disconnected" | "call.timeout" | "call.agent.changed" | "call.held" | "call.resumed" | "call.test")[] | null;
                        /** @description Whether terminal events include the call's user_context. Default: false. Switching it on, or changing url while it is on, also requires the scope calls:read. */
                        include_context?: boolean | null;
                        /**
                         * @description Whether terminal events include the call's metrics. Default: true.
                         * @example true
                         */
                        include_metrics?: boolean | null;
                        /** @description Whether terminal events include the transcript. Default: false. Switching it on, or changing url while it is on, also requires the scope calls:read. */
                        include_transcript?: boolean | null;
                    } & {
                        [key: string]: unknown;
                    }) | null;
                    /** @description Custom headers of every delivery: at most 50, with values of at most 4,096 bytes without control characters. These names are always rejected: Host, Content-Type, Content-Length, Content-Encoding, User-Agent, X-Webhook-*, Connection, Keep-Alive, Proxy-Connection, Proxy-Authorization, TE, Trailer, Transfer-Encoding, Upgrade and Expect. Names that differ only in case are rejected too. The masked value ******** keeps the stored value while the scheme, host and port of url stay the same; when they change, every header must be given again or removed. */
                    headers?: {
                        [key: string]: string | null;
                    } | null;
                    /**
                     * Format: int64
                     * @description Maximum number of attempts, including the first. Default: 5. The extended policy has its own number.
                     * @example 5
                     */
                    max_retries?: number | null;
                    /**
                     * @description Payload format. event (default): the event itself. envelope: the event within an object that describes the delivery.
                     * @enum {string|null}
                     */
                    payload_format?: "event" | "envelope" | null;
                    /**
                     * @description Retry policy. standard (default): max_retries attempts with exponential backoff from one second. extended: 8 attempts over 24 hours.
                     * @example extended
                     * @enum {string|null}
                     */
                    retry_policy?: "standard" | "extended" | null;
                    /**
                     * Format: int64
                     * @description Timeout of an attempt, in seconds. Default: 30.
                     * @example 30
                     */
                    timeout?: number | null;
                    /**
                     * @description Destination URL: absolute, https, at most 2,048 bytes, without user name and password. Private addresses and names such as localhost are rejected; what a name resolves to is checked with every delivery. A server that allows private networks (PARLEY_ALLOW_PRIVATE_NETWORKS) also accepts http and private addresses.
                     * @example https://example.com/hooks/parley
                     */
                    url?: string;
                } & {
                    [key: string]: unknown;
                };
                /**
                 * @example {
                 *       "enabled": true,
                 *       "filter": {
                 *         "include_transcript": true
                 *       },
                 *       "max_retries": 5,
                 *       "payload_format": "event",
                 *       "retry_policy": "extended",
                 *       "timeout": 30,
                 *       "url": "https://example.com/hooks/parley"
                 *     }
                 */
                "application/merge-patch+json": {
                    /**
                     * @description Whether events are sent. Default: true.
                     * @example true
                     */
                    enabled?: boolean | null;
                    /** @description Which events are sent, and what they include. */
                    filter?: ({
                        /**
                         * @description Event types to send. Default: all.
                         * @example [
                         *       "call.completed",
                         *       "call.failed"
                         *     ]
                         */
                        events?: ("call.started" | "call.connected" | "call.completed" | "call.failed" | "call.disconnected" | "call.timeout" | "call.agent.changed" | "call.held" | "call.resumed" | "call.test")[] | null;
                        /** @description Whether terminal events include the call's user_context. Default: false. Switching it on, or changing url while it is on, also requires the scope calls:read. */
                        include_context?: boolean | null;
                        /**
                         * @description Whether terminal events include the call's metrics. Default: true.
                         * @example true
                         */
                        include_metrics?: boolean | null;
                        /** @description Whether terminal events include the transcript. Default: false. Switching it on, or changing url while it is on, also requires the scope calls:read. */
                        include_transcript?: boolean | null;
                    } & {
                        [key: string]: unknown;
                    }) | null;
                    /** @description Custom headers of every delivery: at most 50, with values of at most 4,096 bytes without control characters. These names are always rejected: Host, Content-Type, Content-Length, Content-Encoding, User-Agent, X-Webhook-*, Connection, Keep-Alive, Proxy-Connection, Proxy-Authorization, TE, Trailer, Transfer-Encoding, Upgrade and Expect. Names that differ only in case are rejected too. The masked value ******** keeps the stored value while the scheme, host and port of url stay the same; when they change, every header must be given again or removed. */
                    headers?: {
                        [key: string]: string | null;
                    } | null;
                    /**
                     * Format: int64
                     * @description Maximum number of attempts, including the first. Default: 5. The extended policy has its own number.
                     * @example 5
                     */
                    max_retries?: number | null;
                    /**
                     * @description Payload format. event (default): the event itself. envelope: the event within an object that describes the delivery.
                     * @enum {string|null}
                     */
                    payload_format?: "event" | "envelope" | null;
                    /**
                     * @description Retry policy. standard (default): max_retries attempts with exponential backoff from one second. extended: 8 attempts over 24 hours.
                     * @example extended
                     * @enum {string|null}
                     */
                    retry_policy?: "standard" | "extended" | null;
                    /**
                     * Format: int64
                     * @description Timeout of an attempt, in seconds. Default: 30.
                     * @example 30
                     */
                    timeout?: number | null;
                    /**
                     * @description Destination URL: absolute, https, at most 2,048 bytes, without user name and password. Private addresses and names such as localhost are rejected; what a name resolves to is checked with every delivery. A server that allows private networks (PARLEY_ALLOW_PRIVATE_NETWORKS) also accepts http and private addresses.
                     * @example https://example.com/hooks/parley
                     */
                    url?: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "enabled": true,
                     *       "filter": {
                     *         "events": [
                     *           "call.completed",
                     *           "call.failed"
                     *         ],
                     *         "include_context": false,
                     *         "include_metrics": true,
                     *         "include_transcript": false
                     *       },
                     *       "headers": {
                     *         "Authorization": "********"
                     *       },
                     *       "id": "whk_0193a6f0000070008000000000000001",
                     *       "max_retries": 5,
                     *       "payload_format": "event",
                     *       "retry_policy": "extended",
                     *       "timeout": 30,
                     *       "updated_at": "2026-11-01T09:30:00.123456Z",
                     *       "url": "https://example.com/hooks/parley"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "list-webhook-deliveries": {
        parameters: {
            query?: {
                /** @description Filter by delivery status. */
                status?: "pending" | "in_flight" | "delivered" | "failed";
                /** @description Filter by event type. */
                event?: "call.started" | "call.connected" | "call.completed" | "call.failed" | "call.disconnected" | "call.timeout" | "call.agent.changed" | "call.held" | "call.resumed" | "call.test";
                /** @description Filter by call. */
                call_id?: string;
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description Number of items to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "attempt_count": 1,
                     *           "call_id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *           "created_at": "2026-11-01T09:30:00.123456Z",
                     *           "error": null,
                     *           "event": "call.completed",
                     *           "event_id": "evt_0193a6f0000070008000000000000001",
                     *           "finished_at": "2026-11-01T09:31:17.010000Z",
                     *           "id": "dlv_0193a6f0000070008000000000000001",
                     *           "max_attempts": 5,
                     *           "next_attempt_at": null,
                     *           "response_status": 200,
                     *           "status": "delivered"
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total": 42
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "replay-webhook-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "created_after": "2026-11-01T09:00:00Z",
                 *       "created_before": "2026-11-01T12:00:00Z",
                 *       "event": "call.completed"
                 *     }
                 */
                "application/json": components["schemas"]["ReplayFailedInBody"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "has_more": false,
                     *       "replayed": 212
                     *     }
                     */
                    "application/json": components["schemas"]["ReplayedBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-webhook-delivery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the delivery (dlv_…). */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attempt_count": 1,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "duration_ms": 84,
                     *           "error": null,
                     *           "response_body": "ok",
                     *           "response_status": 200,
                     *           "started_at": "2026-11-01T09:30:00.123456Z"
                     *         }
                     *       ],
                     *       "call_id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "error": null,
                     *       "event": "call.completed",
                     *       "event_data": null,
                     *       "event_id": "evt_0193a6f0000070008000000000000001",
                     *       "finished_at": "2026-11-01T09:31:17.010000Z",
                     *       "id": "dlv_0193a6f0000070008000000000000001",
                     *       "max_attempts": 5,
                     *       "next_attempt_at": null,
                     *       "response_status": 200,
                     *       "status": "delivered"
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryDetailBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "replay-webhook-delivery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the delivery (dlv_…). */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery_id": "dlv_0193a6f0000070008000000000000001",
                     *       "event_id": "evt_0193a6f0000070008000000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["ReceiptBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "disable-webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "enabled": false,
                     *       "filter": {
                     *         "events": [
                     *           "call.completed",
                     *           "call.failed"
                     *         ],
                     *         "include_context": false,
                     *         "include_metrics": true,
                     *         "include_transcript": false
                     *       },
                     *       "headers": {
                     *         "Authorization": "********"
                     *       },
                     *       "id": "whk_0193a6f0000070008000000000000001",
                     *       "max_retries": 5,
                     *       "payload_format": "event",
                     *       "retry_policy": "extended",
                     *       "timeout": 30,
                     *       "updated_at": "2026-11-01T09:30:00.123456Z",
                     *       "url": "https://example.com/hooks/parley"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "enable-webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "enabled": true,
                     *       "filter": {
                     *         "events": [
                     *           "call.completed",
                     *           "call.failed"
                     *         ],
                     *         "include_context": false,
                     *         "include_metrics": true,
                     *         "include_transcript": false
                     *       },
                     *       "headers": {
                     *         "Authorization": "********"
                     *       },
                     *       "id": "whk_0193a6f0000070008000000000000001",
                     *       "max_retries": 5,
                     *       "payload_format": "event",
                     *       "retry_policy": "extended",
                     *       "timeout": 30,
                     *       "updated_at": "2026-11-01T09:30:00.123456Z",
                     *       "url": "https://example.com/hooks/parley"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    ingest: {
        parameters: {
            query?: never;
            header?: {
                /** @description Idempotency key. A repeated request with the same key within 24 hours returns the first response and starts no second call. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "metadata": {
                 *         "order": "4711"
                 *       },
                 *       "phone_number": "+4930123456",
                 *       "user_context": {
                 *         "name": "Ann"
                 *       },
                 *       "user_id": "customer-4711",
                 *       "workflow_slug": "demo"
                 *     }
                 */
                "application/json": components["schemas"]["IngestBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "call_id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "room_name": "call-0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "status": "pending",
                     *       "token": "eyJhbGciOiJIUzI1NiJ9.eyJ2aWRlbyI6eyJyb29tSm9pbiI6dHJ1ZX19.signature",
                     *       "url": "wss://voice.example.com"
                     *     }
                     */
                    "application/json": components["schemas"]["StartedBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "rotate-webhook-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlap_seconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["RotateSecretInBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "enabled": true,
                     *       "filter": {
                     *         "events": [
                     *           "call.completed",
                     *           "call.failed"
                     *         ],
                     *         "include_context": false,
                     *         "include_metrics": true,
                     *         "include_transcript": false
                     *       },
                     *       "headers": {
                     *         "Authorization": "********"
                     *       },
                     *       "id": "whk_0193a6f0000070008000000000000001",
                     *       "max_retries": 5,
                     *       "payload_format": "event",
                     *       "retry_policy": "extended",
                     *       "secret": "whsec_8d2b6f10c94e4a73b5e0d1a7f2c36b95",
                     *       "timeout": 30,
                     *       "updated_at": "2026-11-01T09:30:00.123456Z",
                     *       "url": "https://example.com/hooks/parley"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `authorization_error`, `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "test-webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery_id": "dlv_0193a6f0000070008000000000000001",
                     *       "event_id": "evt_0193a6f0000070008000000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["ReceiptBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "list-workflows": {
        parameters: {
            query?: {
                /** @description Maximum number of items to return. */
                limit?: number;
                /** @description Number of items to skip. */
                offset?: number;
                /** @description Filter by is_active: true for active items, false for inactive ones. Default: both. */
                is_active?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "created_at": "2026-11-01T09:30:00.123456Z",
                     *           "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *           "is_active": true,
                     *           "name": "Make an appointment",
                     *           "slug": "appointment"
                     *         }
                     *       ],
                     *       "limit": 50,
                     *       "offset": 0,
                     *       "total": 42
                     *     }
                     */
                    "application/json": components["schemas"]["PageWorkflowItem"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "create-workflow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "config": {
                 *         "nodes": [
                 *           {
                 *             "id": "intake",
                 *             "agent_name": "front-desk",
                 *             "is_entry": true,
                 *             "position": {
                 *               "x": 120,
                 *               "y": 80
                 *             }
                 *           },
                 *           {
                 *             "id": "booking",
                 *             "agent_name": "front-desk",
                 *             "is_exit": true,
                 *             "skip_condition": "flags.booked",
                 *             "context_mapping": {
                 *               "customer": "workflow.customer_id"
                 *             },
                 *             "position": {
                 *               "x": 420,
                 *               "y": 80
                 *             }
                 *           }
                 *         ],
                 *         "connections": [
                 *           {
                 *             "source_id": "intake",
                 *             "target_id": "booking",
                 *             "condition": "user.age >= 18"
                 *           }
                 *         ],
                 *         "shared_context": [
                 *           "customer_id"
                 *         ]
                 *       },
                 *       "description": "Finds a time and confirms it.",
                 *       "name": "Make an appointment",
                 *       "slug": "appointment"
                 *     }
                 */
                "application/json": components["schemas"]["CreateWorkflowBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "config": {
                     *         "nodes": [
                     *           {
                     *             "id": "intake",
                     *             "agent_name": "front-desk",
                     *             "is_entry": true,
                     *             "position": {
                     *               "x": 120,
                     *               "y": 80
                     *             }
                     *           },
                     *           {
                     *             "id": "booking",
                     *             "agent_name": "front-desk",
                     *             "is_exit": true,
                     *             "skip_condition": "flags.booked",
                     *             "context_mapping": {
                     *               "customer": "workflow.customer_id"
                     *             },
                     *             "position": {
                     *               "x": 420,
                     *               "y": 80
                     *             }
                     *           }
                     *         ],
                     *         "connections": [
                     *           {
                     *             "source_id": "intake",
                     *             "target_id": "booking",
                     *             "condition": "user.age >= 18"
                     *           }
                     *         ],
                     *         "shared_context": [
                     *           "customer_id"
                     *         ]
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "description": "Finds a time and confirms it.",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "is_active": true,
                     *       "name": "Make an appointment",
                     *       "slug": "appointment"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Conflict: `conflict` */
            409: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "evaluate-condition": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "condition": "user.age >= 18",
                 *       "context": {
                 *         "user": {
                 *           "age": 30
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["EvaluateConditionInBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "holds": true,
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["ConditionBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "get-workflow": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the workflow. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "config": {
                     *         "nodes": [
                     *           {
                     *             "id": "intake",
                     *             "agent_name": "front-desk",
                     *             "is_entry": true,
                     *             "position": {
                     *               "x": 120,
                     *               "y": 80
                     *             }
                     *           },
                     *           {
                     *             "id": "booking",
                     *             "agent_name": "front-desk",
                     *             "is_exit": true,
                     *             "skip_condition": "flags.booked",
                     *             "context_mapping": {
                     *               "customer": "workflow.customer_id"
                     *             },
                     *             "position": {
                     *               "x": 420,
                     *               "y": 80
                     *             }
                     *           }
                     *         ],
                     *         "connections": [
                     *           {
                     *             "source_id": "intake",
                     *             "target_id": "booking",
                     *             "condition": "user.age >= 18"
                     *           }
                     *         ],
                     *         "shared_context": [
                     *           "customer_id"
                     *         ]
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "description": "Finds a time and confirms it.",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "is_active": true,
                     *       "name": "Make an appointment",
                     *       "slug": "appointment"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "update-workflow": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the workflow. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "config": {
                 *         "shared_context": [
                 *           "customer_id",
                 *           "order"
                 *         ]
                 *       },
                 *       "description": "Finds a time and confirms it.",
                 *       "name": "Make an appointment"
                 *     }
                 */
                "application/json": {
                    /** @description Configuration. */
                    config?: {
                        /** @description Connections between nodes, without cycles. */
                        connections?: components["schemas"]["Connection"][];
                        /** @description Nodes of the graph. Exactly one is the entry, at least one an exit. */
                        nodes?: components["schemas"]["Node"][];
                        /**
                         * @description Context keys that every agent sees.
                         * @example [
                         *       "customer_id"
                         *     ]
                         */
                        shared_context?: string[] | null;
                    } & {
                        [key: string]: unknown;
                    };
                    /**
                     * @description Description.
                     * @example Finds a time and confirms it.
                     */
                    description?: string | null;
                    /**
                     * @description Display name.
                     * @example Make an appointment
                     */
                    name?: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "config": {
                     *         "nodes": [
                     *           {
                     *             "id": "intake",
                     *             "agent_name": "front-desk",
                     *             "is_entry": true,
                     *             "position": {
                     *               "x": 120,
                     *               "y": 80
                     *             }
                     *           },
                     *           {
                     *             "id": "booking",
                     *             "agent_name": "front-desk",
                     *             "is_exit": true,
                     *             "skip_condition": "flags.booked",
                     *             "context_mapping": {
                     *               "customer": "workflow.customer_id"
                     *             },
                     *             "position": {
                     *               "x": 420,
                     *               "y": 80
                     *             }
                     *           }
                     *         ],
                     *         "connections": [
                     *           {
                     *             "source_id": "intake",
                     *             "target_id": "booking",
                     *             "condition": "user.age >= 18"
                     *           }
                     *         ],
                     *         "shared_context": [
                     *           "customer_id"
                     *         ]
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "description": "Finds a time and confirms it.",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "is_active": true,
                     *       "name": "Make an appointment",
                     *       "slug": "appointment"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Request Entity Too Large: `payload_too_large` */
            413: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unsupported Media Type: `unsupported_media_type` */
            415: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "delete-workflow": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the workflow. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "activate-workflow": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the workflow. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "config": {
                     *         "nodes": [
                     *           {
                     *             "id": "intake",
                     *             "agent_name": "front-desk",
                     *             "is_entry": true,
                     *             "position": {
                     *               "x": 120,
                     *               "y": 80
                     *             }
                     *           },
                     *           {
                     *             "id": "booking",
                     *             "agent_name": "front-desk",
                     *             "is_exit": true,
                     *             "skip_condition": "flags.booked",
                     *             "context_mapping": {
                     *               "customer": "workflow.customer_id"
                     *             },
                     *             "position": {
                     *               "x": 420,
                     *               "y": 80
                     *             }
                     *           }
                     *         ],
                     *         "connections": [
                     *           {
                     *             "source_id": "intake",
                     *             "target_id": "booking",
                     *             "condition": "user.age >= 18"
                     *           }
                     *         ],
                     *         "shared_context": [
                     *           "customer_id"
                     *         ]
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "description": "Finds a time and confirms it.",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "is_active": true,
                     *       "name": "Make an appointment",
                     *       "slug": "appointment"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "deactivate-workflow": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of the workflow. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "config": {
                     *         "connections": [
                     *           {
                     *             "condition": "user.age >= 18",
                     *             "source_id": "intake",
                     *             "target_id": "booking"
                     *           }
                     *         ],
                     *         "nodes": [
                     *           {
                     *             "agent_name": "front-desk",
                     *             "id": "intake",
                     *             "is_entry": true,
                     *             "position": {
                     *               "x": 120,
                     *               "y": 80
                     *             }
                     *           },
                     *           {
                     *             "agent_name": "front-desk",
                     *             "context_mapping": {
                     *               "customer": "workflow.customer_id"
                     *             },
                     *             "id": "booking",
                     *             "is_exit": true,
                     *             "position": {
                     *               "x": 420,
                     *               "y": 80
                     *             },
                     *             "skip_condition": "flags.booked"
                     *           }
                     *         ],
                     *         "shared_context": [
                     *           "customer_id"
                     *         ]
                     *       },
                     *       "created_at": "2026-11-01T09:30:00.123456Z",
                     *       "description": "Finds a time and confirms it.",
                     *       "id": "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12",
                     *       "is_active": false,
                     *       "name": "Make an appointment",
                     *       "slug": "appointment"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkflowBody"];
                };
            };
            /** @description Unauthorized: `authentication_error`, `token_expired`, `invalid_token`, `key_revoked` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Forbidden: `scope_required` */
            403: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Not Found: `not_found` */
            404: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Too Many Requests: `rate_limit_exceeded` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "checks": {
                     *         "database": {
                     *           "mode": "embedded",
                     *           "status": "healthy"
                     *         },
                     *         "redis": {
                     *           "mode": "embedded",
                     *           "status": "healthy"
                     *         }
                     *       },
                     *       "status": "healthy",
                     *       "timestamp": "2026-11-01T09:30:00.123456Z",
                     *       "version": "1.4.0"
                     *     }
                     */
                    "application/json": components["schemas"]["HealthBody"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "health-live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "alive",
                     *       "timestamp": "2026-11-01T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AliveBody"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
    "health-ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "database": "healthy",
                     *       "status": "ready",
                     *       "timestamp": "2026-11-01T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ReadyBody"];
                };
            };
            /** @description Unprocessable Entity: `validation_error` */
            422: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
            /** @description Service Unavailable: `service_unavailable` */
            503: {
                headers: {
                    "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"];
                };
            };
        };
    };
}
