import type { FastifyReply, FastifyRequest } from 'fastify';

type OcsValue = string | number | boolean | null | readonly OcsValue[] | { readonly [key: string]: OcsValue };

interface OcsAnswer {
  /** status in version 2 of the interface, where it is also the HTTP status */
  readonly status: number;
  /** code in the envelope, if it differs from the status */
  readonly statusCode?: number;
  readonly message: string;
  readonly data: OcsValue;
}

const FIRST_VERSION_OK = 100;
const BEFORE_CALLS: ReadonlySet<number> = new Set([401, 421]);

/**
 * Sends an answer of the Open Collaboration Services interface: an envelope, in XML unless the request asks for JSON.
 *
 * In version 1, the code of success is 100, and the HTTP status is 200 except for what every wire rejects before it looks
 * at the call: a failed sign-in, and a host that is not served.
 */
export function sendOcs(request: FastifyRequest, reply: FastifyReply, answer: OcsAnswer): FastifyReply {
  const isFirst = request.url.startsWith('/ocs/v1.php/');
  const isOk = answer.status === 200;
  const statuscode = isOk && isFirst ? FIRST_VERSION_OK : (answer.statusCode ?? answer.status);
  const envelope = {
    meta: { status: isOk ? 'ok' : 'failure', statuscode, message: answer.message },
    data: answer.data,
  };
  reply.code(isFirst && !BEFORE_CALLS.has(answer.status) ? 200 : answer.status);
  if (wantsJson(request)) return reply.type('application/json; charset=utf-8').send({ ocs: envelope });
  const xml = `<?xml version="1.0"?>\n<ocs>\n${elements(envelope, 1)}</ocs>\n`;
  return reply.type('text/xml; charset=UTF-8').send(xml);
}

function wantsJson(request: FastifyRequest): boolean {
  // Fastify has no query for a path that cannot be decoded.
  const { format } = (request.query ?? {}) as { format?: string | string[] };
  const [asked] = Array.isArray(format) ? format : [format];
  if (asked !== undefined) return asked === 'json';
  return (request.headers.accept ?? '').includes('application/json');
}

function elements(value: Readonly<Record<string, OcsValue>>, depth: number): string {
  return Object.entries(value)
    .map(([name, member]) => element(name, member, depth))
    .join('');
}

function element(name: string, value: OcsValue, depth: number): string {
  const indent = ' '.repeat(depth);
  if (value === null || value === '' || value === false) return `${indent}<${name}/>\n`;
  if (typeof value !== 'object') return `${indent}<${name}>${escapeXml(xmlText(value))}</${name}>\n`;
  const inner = Array.isArray(value)
    ? value.map((member) => element('element', member, depth + 1)).join('')
    : elements(value as Readonly<Record<string, OcsValue>>, depth + 1);
  return inner === '' ? `${indent}<${name}/>\n` : `${indent}<${name}>\n${inner}${indent}</${name}>\n`;
}

/** In XML, true is 1 and false is empty. */
function xmlText(value: string | number | boolean): string {
  return value === true ? '1' : String(value);
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '');
}

/** A foreign page can make a browser send a request with its password, but not with this header or a token. */
export function isMeant(request: FastifyRequest): boolean {
  return request.headers['ocs-apirequest'] === 'true' || request.viewer.credential === 'token';
}

/** Sends the answer to a request that a foreign page may have made. */
export function sendUnmeant(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendOcs(request, reply, { status: 412, message: 'CSRF check failed', data: [] });
}
