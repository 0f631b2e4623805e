import { Type } from 'typebox';
import { WEBHOOK_LIMITS } from './limits.ts';
import { HOOK_TYPES } from './model.ts';

const Time = Type.String({ format: 'date-time' });
const Texts = Type.Record(Type.String(), Type.String());

export const HookSchema = Type.Object(
  {
    id: Type.Integer(),
    type: Type.String(),
    url: Type.String(),
    content_type: Type.String(),
    branch_filter: Type.String(),
    config: Type.Record(Type.String(), Type.String(), { description: 'never has the secret' }),
    events: Type.Array(Type.String()),
    authorization_header: Type.String({ description: 'always empty: it is never shown' }),
    active: Type.Boolean(),
    metadata: Type.Object(
      {
        failing_since: Type.Union([Type.Null(), Time]),
        stopped_at: Type.Union([Type.Null(), Time], {
          description: 'when the server made the webhook inactive, because its receiver failed for a week',
        }),
        last_error: Type.String({ description: 'why the last attempt failed; empty after a success' }),
      },
      { description: 'how its deliveries go' },
    ),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Hook' },
);

const shared = {
  authorization_header: Type.Optional(
    Type.String({ description: 'value of the header Authorization; it is stored encrypted' }),
  ),
  branch_filter: Type.Optional(
    Type.String({ description: 'a glob such as {main,release/*}, for push, create and delete' }),
  ),
  events: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: WEBHOOK_LIMITS.webhookEventsMax,
      description: 'names of events; empty: push',
    }),
  ),
};

export const CreateHookBody = Type.Object(
  {
    type: Type.String({ description: `one of ${HOOK_TYPES.join(', ')}` }),
    config: Texts,
    active: Type.Optional(Type.Boolean({ default: false })),
    ...shared,
  },
  { $id: 'CreateHookOption' },
);

export const EditHookBody = Type.Object(
  { config: Type.Optional(Texts), active: Type.Optional(Type.Boolean()), ...shared },
  { $id: 'EditHookOption' },
);

export const TestQuery = {
  ref: Type.Optional(
    Type.String({ description: 'the branch or tag that the test is about; absent: the default branch' }),
  ),
};

const Headers = Type.Record(Type.String(), Type.String());

export const DeliverySchema = Type.Object(
  {
    id: Type.Integer(),
    uuid: Type.String({ description: 'the same for all attempts, as in the header X-Gitea-Delivery' }),
    event: Type.String(),
    state: Type.String({ description: 'requested, delivered, waiting (for another attempt) or failed' }),
    attempts: Type.Integer(),
    created_at: Time,
    sent_at: Type.Union([Type.Null(), Time], { description: 'of the last attempt' }),
    duration_ms: Type.Union([Type.Null(), Type.Integer()]),
    error: Type.String({ description: 'why the last attempt failed; empty after a success' }),
    is_requested: Type.Boolean({ description: 'another attempt was requested' }),
    request: Type.Union([
      Type.Null(),
      Type.Object({
        method: Type.String(),
        url: Type.String(),
        headers: Headers,
        body: Type.String({ description: 'cut off at a limit' }),
      }),
    ]),
    response: Type.Union([
      Type.Null(),
      Type.Object({
        status: Type.Integer(),
        headers: Headers,
        body: Type.String({ description: 'cut off at a limit' }),
      }),
    ]),
  },
  { $id: 'HookDelivery' },
);

export const SinceQuery = {
  since: Type.Optional(
    Type.String({ description: 'required; RFC 3339: all events since this time are delivered again' }),
  ),
};

export const GitHookSchema = Type.Object(
  { name: Type.String(), is_active: Type.Boolean(), content: Type.String() },
  { $id: 'GitHook' },
);

export const EditGitHookBody = Type.Object(
  { content: Type.Optional(Type.String()) },
  { $id: 'EditGitHookOption' },
);
