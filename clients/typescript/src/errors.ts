import type { ErrorCode } from './generated/resources.js';

/** The error of a field, named by its path, such as config.nodes[2].agent_name. */
export interface ErrorDetail {
  field: string;
  message: string;
}

/** An error of this package. */
export class ParleyError extends Error {
  override name = 'ParleyError';
}

/** The server could not be reached, did not answer in time, or closed the connection. */
export class NetworkError extends ParleyError {
  override name = 'NetworkError';
}

/** A stream was ended by the server: there is no such call, or the credential is no longer valid. */
export class StreamError extends ParleyError {
  override name = 'StreamError';
}

/** What an ApiError is made of. */
export interface ApiErrorFields {
  status: number;
  code: ErrorCode | '';
  message: string;
  details: ErrorDetail[];
  requestId: string;
  retryAfterMs: number;
}

/** An error that the API answered with. */
export class ApiError extends ParleyError {
  override name = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  /** Such as validation_error; empty when the answer was not the API's, as a proxy's. */
  readonly code: ErrorCode | '';
  readonly details: ErrorDetail[];
  /** The id under which the server's log has the request; empty if none was given. */
  readonly requestId: string;
  /** The wait that the server asks for, in milliseconds; 0 if none. */
  readonly retryAfterMs: number;

  constructor(fields: ApiErrorFields) {
    super(describe(fields));
    this.status = fields.status;
    this.code = fields.code;
    this.details = fields.details;
    this.requestId = fields.requestId;
    this.retryAfterMs = fields.retryAfterMs;
  }
}

/** 401: the credential is missing, unknown, expired or revoked. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError';
}

/** 403: the credential may not do this. */
export class ForbiddenError extends ApiError {
  override name = 'ForbiddenError';
}

/** 404 */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}

/** 409: the state of what is named does not allow this. */
export class ConflictError extends ApiError {
  override name = 'ConflictError';
}

/** 422: details names the fields. */
export class ValidationError extends ApiError {
  override name = 'ValidationError';
}

/** 429: retryAfterMs is the wait that the server asks for. */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError';
}

/** 500 and above */
export class ServerError extends ApiError {
  override name = 'ServerError';
}

const classes: Record<number, typeof ApiError> = {
  401: AuthenticationError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  422: ValidationError,
  429: RateLimitError,
};

/** Makes the error of an answer whose status is not one of success. */
export async function errorOf(answer: Response): Promise<ApiError> {
  const fields: ApiErrorFields = {
    status: answer.status,
    code: '',
    message: answer.statusText,
    details: [],
    requestId: answer.headers.get('X-Request-Id') ?? '',
    retryAfterMs: retryAfter(answer.headers.get('Retry-After')),
  };
  try {
    const { error } = (await answer.json()) as { error: Pick<ApiErrorFields, 'code' | 'message' | 'details'> };
    Object.assign(fields, { code: error.code, message: error.message, details: error.details ?? [] });
  } catch {
    // A proxy's answer is not JSON.
  }
  return new (classes[answer.status] ?? (answer.status >= 500 ? ServerError : ApiError))(fields);
}

function describe({ status, code, message, details, requestId }: ApiErrorFields): string {
  const fields = details.map((d) => `; ${d.field}: ${d.message}`).join('');
  return `${status} ${code}: ${message}${fields}${requestId && ` (request ${requestId})`}`;
}

/** Reads Retry-After, in seconds or as a date (RFC 9110, 10.2.3), as milliseconds. */
function retryAfter(header: string | null): number {
  if (!header) return 0;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return wait > 0 ? wait : 0;
}
