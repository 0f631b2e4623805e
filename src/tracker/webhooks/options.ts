import type { Static } from 'typebox';
import { invalid } from '../../base/core/failure.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { outboundAddressOf } from '../../base/outbound/parse-url.ts';
import { readQueryTime } from '../../http/time.ts';
import { branchFilterOf } from './branch-filter.ts';
import { isListable } from './event-names.ts';
import { HOOK_TRAITS } from './hook-types.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import {
  type ContentType,
  HOOK_TYPES,
  type HookType,
  type HttpMethod,
  type NewWebhook,
  type WebhookEdit,
} from './model.ts';
import type { CreateHookBody, EditHookBody } from './schema.ts';

type Config = Readonly<Record<string, string>>;

/** Names in `config` that are not further fields of a type. */
const COMMON = new Set(['url', 'content_type', 'secret', 'http_method', 'is_system_webhook']);

/** @throws ForgeError `invalid` */
export function newHookOf(body: Static<typeof CreateHookBody>): NewWebhook {
  const type = HOOK_TYPES.find((each) => each === body.type);
  if (type === undefined)
    throw invalid(`Invalid hook type: ${body.type}: it must be one of ${HOOK_TYPES.join(', ')}`);
  for (const name of ['url', 'content_type'])
    if ((body.config[name] ?? '') === '') throw invalid(`Missing config option: ${name}`);
  const wanted: NewWebhook = {
    type,
    url: '',
    contentType: 'json',
    httpMethod: HOOK_TRAITS[type].methods[0],
    events: ['push'],
    branchFilter: '',
    secret: '',
    authorization: '',
    isActive: body.active ?? false,
    isSystem: body.config.is_system_webhook === 'true',
    ...hookEditOf(body, type),
    config: furtherOf(body.config),
  };
  requireFields(wanted);
  return wanted;
}

function requireFields({ type, config }: Pick<NewWebhook, 'type' | 'config'>): void {
  for (const name of HOOK_TRAITS[type].required)
    if ((config[name] ?? '') === '') throw invalid(`Missing config option: ${name}`);
}

/**
 * @param type of the webhook
 * @throws ForgeError `invalid`
 */
export function hookEditOf(body: Static<typeof EditHookBody>, type: HookType): WebhookEdit {
  const { config, active, events, branch_filter: branchFilter, authorization_header: authorization } = body;
  if (branchFilter !== undefined) requireFilter(branchFilter);
  if (authorization !== undefined) requireAuthorization(authorization);
  return {
    ...(config === undefined ? {} : configEditOf(config, type)),
    ...(active === undefined ? {} : { isActive: active }),
    ...(events === undefined ? {} : { events: eventsOf(events) }),
    ...(branchFilter === undefined ? {} : { branchFilter }),
    ...(authorization === undefined ? {} : { authorization }),
  };
}

function configEditOf(config: Config, type: HookType): WebhookEdit {
  const { url, content_type: contentType, secret, http_method: method } = config;
  if (secret !== undefined && secret.length > WEBHOOK_LIMITS.webhookSecretCharsMax)
    throw invalid(`a secret has at most ${WEBHOOK_LIMITS.webhookSecretCharsMax} characters`);
  return {
    config: furtherOf(config),
    ...(url === undefined ? {} : { url: urlOf(url) }),
    ...(contentType === undefined ? {} : { contentType: contentTypeOf(contentType) }),
    ...(secret === undefined ? {} : { secret }),
    ...(method === undefined ? {} : { httpMethod: methodOf(method, type) }),
  };
}

function urlOf(text: string): string {
  const { url, username, password } = outboundAddressOf(text);
  if (username !== '' || password !== '')
    throw invalid('the url cannot have a name or a password: send them in authorization_header');
  return url.href;
}

function contentTypeOf(text: string): ContentType {
  if (text !== 'json' && text !== 'form') throw invalid('Invalid content type: it must be json or form');
  return text;
}

/** Chats have one method each; only a webhook for programs has a choice. */
function methodOf(text: string, type: HookType): HttpMethod {
  const { methods } = HOOK_TRAITS[type];
  const found = methods.find((each) => each === text.toUpperCase());
  if (found === undefined) throw invalid(`Invalid http_method: it must be ${methods.join(' or ')}`);
  return found;
}

function furtherOf(config: Config): Config {
  const further = Object.entries(config).filter(([name]) => !COMMON.has(name));
  if (further.length > WEBHOOK_LIMITS.webhookConfigFieldsMax)
    throw invalid(`config has at most ${WEBHOOK_LIMITS.webhookConfigFieldsMax} fields`);
  for (const [name, value] of further) {
    if (!/^[a-z][a-z0-9_]{0,63}$/.test(name)) throw invalid('the name of a field of config is malformed');
    requireLine(name, value, WEBHOOK_LIMITS.webhookConfigCharsMax);
  }
  return Object.fromEntries(further);
}

function eventsOf(names: readonly string[]): readonly string[] {
  const unknown = names.find((name) => !isListable(name));
  if (unknown !== undefined) throw invalid(`there is no event ${JSON.stringify(unknown.slice(0, 100))}`);
  return names.length === 0 ? ['push'] : [...new Set(names)];
}

function requireFilter(text: string): void {
  requireLine('branch_filter', text, WEBHOOK_LIMITS.webhookFilterCharsMax);
  branchFilterOf(text);
}

function requireLine(name: string, text: string, charsMax: number): void {
  if (text.length > charsMax) throw invalid(`${name} has at most ${charsMax} characters`);
  if (!isPlainLine(text)) throw invalid(`${name} must be one line without control characters`);
}

/** A header of HTTP. */
function requireAuthorization(text: string): void {
  requireLine('authorization_header', text, WEBHOOK_LIMITS.webhookAuthorizationCharsMax);
  if (/[^\x20-\x7e]/.test(text))
    throw invalid('authorization_header has letters, digits and signs of ASCII only');
}

/** @throws ForgeError `invalid` */
export function sinceOf({ since = '' }: { readonly since?: string }): number {
  const ms = readQueryTime(since);
  if (ms === undefined) throw invalid('since must be a time of RFC 3339');
  return ms;
}
