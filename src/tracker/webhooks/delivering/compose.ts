import { createHmac } from 'node:crypto';
import { messageOf } from '../chats/message.ts';
import { rendererOf } from '../chats/types.ts';
import { type EventName, headerOf } from '../event-names.ts';
import { HOOK_TRAITS } from '../hook-types.ts';
import type { DeliveringHook, HttpMethod, Payload } from '../model.ts';
import type { HookSecrets } from '../secrets.ts';

/** One delivery with its content. */
export interface Content {
  readonly uuid: string;
  readonly name: EventName;
  readonly payload: Payload;
  /** seconds */
  readonly now: number;
}

/** A request that is ready to be sent. */
export interface ComposedRequest {
  readonly method: HttpMethod;
  readonly url: URL;
  /** in lower case, without `Authorization` */
  readonly headers: Readonly<Record<string, string>>;
  /** '': none */
  readonly authorization: string;
  /** '' of a GET */
  readonly body: string;
}

type Target = Pick<DeliveringHook, 'type' | 'url' | 'httpMethod' | 'contentType' | 'config'>;

/**
 * Makes the request of a delivery.
 *
 * @returns undefined if the type of the webhook has no form for this event
 */
export function compose(
  hook: Target,
  { secret, authorization }: HookSecrets,
  content: Content,
): ComposedRequest | undefined {
  const json = jsonOf(hook, secret, content);
  if (json === undefined) return undefined;
  const { httpMethod: method } = hook;
  const { isForPrograms, endsInId } = HOOK_TRAITS[hook.type];
  const url = new URL(hook.url);
  const form = new URLSearchParams({ payload: json });
  if (method === 'GET') {
    url.searchParams.set('payload', json);
    return { method, url, headers: headersOf(content, secret, json), authorization, body: '' };
  }
  if (endsInId) url.pathname = `${url.pathname.replace(/\/$/, '')}/${content.uuid}`;
  const isForm = hook.contentType === 'form' && isForPrograms;
  const body = isForm ? form.toString() : json;
  const contentType = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  const headers = { ...headersOf(content, secret, body), 'content-type': contentType };
  return { method, url, headers, authorization, body };
}

function jsonOf({ type, config }: Target, secret: string, content: Content): string | undefined {
  const { name, payload, now } = content;
  if (HOOK_TRAITS[type].isForPrograms) return JSON.stringify(payload, null, 2);
  const render = rendererOf(type);
  if (render === undefined) return JSON.stringify(payload);
  const body = render(messageOf(name, payload), { config, secret, now }, { name, payload });
  return body === undefined ? undefined : JSON.stringify(body);
}

const FAMILIES = ['gitea', 'forgejo', 'gogs', 'github'] as const;

/** @param signed what the signatures are of */
function headersOf(
  { uuid, name }: Pick<Content, 'uuid' | 'name'>,
  secret: string,
  signed: string,
): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': 'Quire-Hook' };
  const signature = secret === '' ? '' : hmac('sha256', secret, signed);
  for (const family of FAMILIES) {
    headers[`x-${family}-delivery`] = uuid;
    headers[`x-${family}-event`] = headerOf(name);
    headers[`x-${family}-event-type`] = name;
    if (signature !== '' && family !== 'github') headers[`x-${family}-signature`] = signature;
  }
  if (signature === '') return headers;
  headers['x-hub-signature'] = `sha1=${hmac('sha1', secret, signed)}`;
  headers['x-hub-signature-256'] = `sha256=${signature}`;
  return headers;
}

function hmac(algorithm: 'sha1' | 'sha256', secret: string, text: string): string {
  return createHmac(algorithm, secret).update(text).digest('hex');
}
