import type { EventName } from './event-names.ts';

export const HOOK_TYPES = [
  'forgejo',
  'gitea',
  'gogs',
  'slack',
  'discord',
  'dingtalk',
  'telegram',
  'msteams',
  'feishu',
  'matrix',
  'wechatwork',
  'packagist',
  'sourcehut_builds',
] as const;
export type HookType = (typeof HOOK_TYPES)[number];
export type HttpMethod = 'GET' | 'POST' | 'PUT';
export type ContentType = 'json' | 'form';

/** What a webhook belongs to. Owners of organizations and users have theirs; `site` has default and system hooks. */
export type HookPlace =
  | { readonly of: 'repository'; readonly repositoryId: number; readonly ownerId: number }
  | { readonly of: 'user' | 'organization'; readonly accountId: number }
  | { readonly of: 'site' };

/** A webhook as its administrators see it, without its secrets. */
export interface Webhook {
  readonly id: number;
  readonly scope: 'repository' | 'account' | 'system' | 'default';
  readonly repositoryId: number | null;
  readonly ownerId: number | null;
  readonly ownerKind: 'user' | 'organization' | null;
  readonly type: HookType;
  readonly url: string;
  readonly httpMethod: HttpMethod;
  readonly contentType: ContentType;
  /** further fields of its type */
  readonly config: Readonly<Record<string, string>>;
  /** names of events and of groups, as the caller listed them */
  readonly events: readonly string[];
  readonly branchFilter: string;
  readonly hasSecret: boolean;
  readonly hasAuthorization: boolean;
  readonly isActive: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** first failure since the last success; null: the last delivery succeeded, or there was none */
  readonly failingSince: number | null;
  /** when the server made it inactive; null: it did not */
  readonly stoppedAt: number | null;
  readonly lastError: string;
}

/** How far a webhook has delivered the event log. */
export interface HookProgress {
  /** of the last event that was handled */
  readonly position: number;
  /** number of deliveries of the next event that are done */
  readonly part: number;
}

/** A webhook with all that its deliveries need. */
export interface DeliveringHook extends Webhook, HookProgress {
  readonly key: string;
  readonly shareId: number;
  /** for whom payloads are rendered */
  readonly readerId: number | null;
  /** encrypted */
  readonly secret: string | null;
  readonly authorization: string | null;
  readonly wakes: number;
  readonly retryAt: number | null;
  readonly attempts: number;
  readonly waitingSince: number | null;
}

export interface NewWebhook {
  readonly type: HookType;
  readonly url: string;
  readonly httpMethod: HttpMethod;
  readonly contentType: ContentType;
  readonly config: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  readonly branchFilter: string;
  /** '': none */
  readonly secret: string;
  readonly authorization: string;
  readonly isActive: boolean;
  /** of a hook of the site: it runs for all repositories, and is not copied to new ones */
  readonly isSystem: boolean;
}

/** A change of a webhook. Absent fields stay unchanged. */
export type WebhookEdit = Partial<Omit<NewWebhook, 'type' | 'isSystem'>>;

export type DeliveryState = 'requested' | 'delivered' | 'waiting' | 'failed';

/** One request as it was sent, without secrets. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** cut off at a limit */
  readonly body: string;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** cut off at a limit */
  readonly body: string;
}

/** A delivery, with its last attempt. */
export interface Delivery {
  readonly id: number;
  readonly uuid: string;
  /** of its event; null: a test */
  readonly position: number | null;
  readonly part: number;
  readonly ref: string | null;
  readonly event: EventName;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAt: number;
  readonly sentAt: number | null;
  readonly durationMs: number | null;
  readonly request: SentRequest | null;
  readonly response: ReceivedResponse | null;
  readonly error: string;
  /** another attempt was requested */
  readonly isRequested: boolean;
}

/** The outcome of one attempt. */
export interface Attempt {
  readonly sentAt: number;
  readonly durationMs: number;
  readonly request: SentRequest;
  readonly response: ReceivedResponse | null;
  /** '': success */
  readonly error: string;
}

/** The JSON object that a receiver of the native types gets. */
export type Payload = Readonly<Record<string, unknown>>;
