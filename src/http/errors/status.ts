import type { FailureKind } from '../../base/core/failure.ts';

/**
 * HTTP status of each kind of failure. A wire lists the few statuses that differ there, and a route lists the statuses that
 * differ from its wire (`config.statusOf`).
 */
export const FAILURE_STATUS = {
  not_found: 404,
  unauthenticated: 401,
  forbidden: 403,
  conflict: 409,
  already_exists: 409,
  invalid: 422,
  malformed: 400,
  bad_request: 400,
  precondition_failed: 412,
  expired: 410,
  method_not_allowed: 405,
  unsupported_media_type: 415,
  misdirected: 421,
  archived: 403,
  too_large: 413,
  too_slow: 408,
  too_many_attempts: 429,
  busy: 503,
  insufficient_storage: 507,
} as const satisfies Record<FailureKind, number>;
