import type { Static } from 'typebox';
import { invalid } from '../../base/core/failure.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { REPOSITORY_LIMITS } from '../../hosting/repositories/limits.ts';
import { STATUS_LIMITS } from './limits.ts';
import { type NewStatus, STATES, type StatusFilter, type StatusState } from './model.ts';
import type { CreateStatusBody } from './schema.ts';

/** Required form of an address, which browsers open when a user follows it. */
const WEB_ADDRESS = /^https?:\/\/[^\s/?#\\]+[^\s\\]*$/i;
const DEFAULT_CONTEXT = 'default';
const OLDEST_FIRST = new Set(['oldest', 'leastupdate', 'leastindex']);

/** @throws ForgeError `invalid` */
export function newStatusOf(body: Static<typeof CreateStatusBody>): NewStatus {
  const { state, context = '', description = '', target_url: targetUrl = '' } = body;
  if (!isState(state)) throw invalid(`[State]: must be one of ${STATES.join(', ')}`);
  requireLine('Context', context, STATUS_LIMITS.statusContextCharsMax);
  requireLine('Description', description, STATUS_LIMITS.statusDescriptionCharsMax);
  if (targetUrl !== '') requireAddress(targetUrl);
  return { state, context: context.trim() === '' ? DEFAULT_CONTEXT : context, description, targetUrl };
}

function requireLine(field: string, text: string, charsMax: number): void {
  if (text.length > charsMax) throw invalid(`[${field}]: MaxSize(${charsMax})`);
  if (!isPlainLine(text)) throw invalid(`[${field}]: must be one line of text`);
}

function requireAddress(text: string): void {
  if (text.length > REPOSITORY_LIMITS.externalUrlCharsMax)
    throw invalid(`[TargetURL]: MaxSize(${REPOSITORY_LIMITS.externalUrlCharsMax})`);
  if (!WEB_ADDRESS.test(text) || !isPlainLine(text) || !URL.canParse(text))
    throw invalid('[TargetURL]: must be an address that begins with http:// or https://');
}

/** Unknown values of `state` and `sort` count as absent. */
export function statusFilterOf(query: { readonly sort?: string; readonly state?: string }): StatusFilter {
  const { sort = '', state = '' } = query;
  return { state: isState(state) ? state : null, isOldestFirst: OLDEST_FIRST.has(sort) };
}

function isState(text: string): text is StatusState {
  return STATES.some((state) => state === text);
}
