import type { Failure, FailureKind } from '../../base/core/failure.ts';
import { giteaStatusOf } from '../../http/errors/gitea.ts';
import { FAILURE_STATUS } from '../../http/errors/status.ts';
import type { ApiResponse, DescribedRoute, JsonSchema } from './model.ts';

const text: JsonSchema = { type: 'string' };

function schemaOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', required: ['message'], properties: { message: text, ...properties } };
}

const ERROR = schemaOf({ url: { type: 'string', description: 'address of the description of the API' } });

/** Shapes of error responses, with the names that the reference gives them. */
export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  APIError: ERROR,
  APIUnauthorizedError: ERROR,
  APIForbiddenError: ERROR,
  APIValidationError: ERROR,
  APINotFound: schemaOf({ url: text, errors: { type: 'array', items: text } }),
};

const SCHEMA_OF_STATUS: Readonly<Record<number, keyof typeof ERROR_SCHEMAS>> = {
  401: 'APIUnauthorizedError',
  403: 'APIForbiddenError',
  404: 'APINotFound',
  422: 'APIValidationError',
};

const DESCRIPTIONS: Readonly<Record<FailureKind, string>> = {
  not_found: 'It does not exist, or it is hidden from you',
  unauthenticated: 'The credentials are missing or wrong',
  forbidden: 'You, or your token, may not do this',
  conflict: 'The current state excludes it',
  already_exists: 'The name is in use',
  invalid: 'It cannot be done',
  malformed: 'The body does not have the form that the operation takes',
  bad_request: 'The request makes no sense',
  precondition_failed: 'The version that If-Match names is not the current one',
  expired: 'What the request continues from is no longer kept',
  method_not_allowed: 'It cannot be done now, or not by you',
  misdirected: 'The server does not answer at the host of the request',
  unsupported_media_type: 'The body has another type than JSON',
  archived: 'The repository is archived',
  too_large: 'The body is too large',
  too_slow: 'The body arrived too slowly',
  too_many_attempts: 'There were too many failed attempts to sign in',
  busy: 'The server is at a limit: try again',
  insufficient_storage: 'The disk of the server is full',
};

/** Returns the error responses of an operation, by status. */
export function errorResponses(
  route: DescribedRoute,
  asked: { hasBody: boolean; hasPath: boolean },
): Record<string, ApiResponse> {
  const responses: Record<string, ApiResponse> = {};
  for (const failure of failuresOf(route, asked)) {
    const { kind } = failure;
    const status = route.statusOf?.(failure) ?? giteaStatusOf(failure) ?? FAILURE_STATUS[kind];
    const known = responses[status]?.description;
    const about = describe(failure);
    const description = known === undefined ? about : `${known}; or: ${about}`;
    const schema = { $ref: `#/components/schemas/${SCHEMA_OF_STATUS[status] ?? 'APIError'}` };
    responses[status] = { description, content: { 'application/json': { schema } } };
  }
  return responses;
}

function describe(failure: Failure): string {
  const isCode = failure.kind === 'forbidden' && failure.reason === 'code';
  return isCode ? 'You may not read the code of this repository' : DESCRIPTIONS[failure.kind];
}

function failuresOf(
  { action, failures }: DescribedRoute,
  { hasBody, hasPath }: { hasBody: boolean; hasPath: boolean },
): readonly Failure[] {
  const kinds = new Set<FailureKind>([
    'unauthenticated',
    // Also where no rights are needed: an account that is blocked may do nothing.
    'forbidden',
    'busy',
    ...(hasPath ? (['not_found'] as const) : []),
    ...(hasBody ? (['malformed', 'invalid', 'too_large', 'unsupported_media_type'] as const) : []),
    ...failures,
  ]);
  const usual = [...kinds].map((kind) => ({ kind, what: '' }) as Failure);
  const hidesCode = action.on === 'repository' && action.whyWithoutCode !== undefined;
  return hidesCode ? [...usual, { kind: 'forbidden', what: '', reason: 'code' }] : usual;
}
