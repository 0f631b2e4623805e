import type { Static } from 'typebox';
import { answerOf } from '../../api/operations/answers.ts';
import { wireTime } from '../../http/time.ts';
import type { Delivery, Webhook } from './model.ts';
import { DeliverySchema, GitHookSchema, HookSchema } from './schema.ts';

function presentHook(hook: Webhook): Static<typeof HookSchema> {
  const { id, type, url, contentType, httpMethod, config, failingSince, stoppedAt } = hook;
  return {
    id,
    type,
    url,
    content_type: contentType,
    branch_filter: hook.branchFilter,
    config: {
      ...config,
      url,
      content_type: contentType,
      http_method: httpMethod,
      ...(hook.scope === 'system' ? { is_system_webhook: 'true' } : {}),
    },
    events: [...hook.events],
    authorization_header: '',
    active: hook.isActive,
    metadata: {
      failing_since: failingSince === null ? null : wireTime(failingSince),
      stopped_at: stoppedAt === null ? null : wireTime(stoppedAt),
      last_error: hook.lastError,
    },
    created_at: wireTime(hook.createdAt),
    updated_at: wireTime(hook.updatedAt),
  };
}

function presentDelivery(delivery: Delivery): Static<typeof DeliverySchema> {
  const { id, uuid, event, state, attempts, sentAt, error, request, response } = delivery;
  return {
    id,
    uuid,
    event,
    state,
    attempts,
    created_at: wireTime(delivery.createdAt),
    sent_at: sentAt === null ? null : wireTime(sentAt),
    duration_ms: delivery.durationMs,
    error,
    is_requested: delivery.isRequested,
    request: request === null ? null : { ...request, headers: { ...request.headers } },
    response: response === null ? null : { ...response, headers: { ...response.headers } },
  };
}

export const HookAnswer = answerOf(HookSchema, presentHook);
export const DeliveryAnswer = answerOf(DeliverySchema, presentDelivery);
/** No git hook is ever shown, because there are none. */
export const GitHookAnswer = answerOf(GitHookSchema, (hook: never): never => hook);
