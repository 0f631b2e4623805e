import type { Static, TObject } from 'typebox';
import { ForgeError } from '../../base/core/failure.ts';
import { NEVER_FILLED, readQueryTime } from '../../http/time.ts';
import { timeRangeOf } from '../issues/options.ts';
import { THREAD_STATUSES, type ThreadFilter, type ThreadStatus } from './model.ts';
import type { MarkQuery, ThreadQuery, ToStatusQuery } from './schema.ts';

const SUBJECTS = ['issue', 'pull', 'commit', 'repository', 'release'] as const;

/**
 * Reads the filter of a list. An unknown status or subject counts as absent.
 *
 * @throws ForgeError `invalid` for a malformed time
 */
export function threadFilterOf(query: Static<TObject<typeof ThreadQuery>>): ThreadFilter {
  const { since, before } = timeRangeOf(query);
  const subjects = knownOf(query['subject-type'], SUBJECTS);
  return {
    statuses: query.all === true ? undefined : statusesOf(query['status-types'], ['unread', 'pinned']),
    subjects:
      subjects.length === 0 ? undefined : subjects.filter((each) => each === 'issue' || each === 'pull'),
    since,
    before: endOfSecond(before),
  };
}

/**
 * Reads which notifications a request marks.
 *
 * @throws ForgeError `bad_request` for a malformed time
 */
export function markFilterOf(query: Static<TObject<typeof MarkQuery>>): ThreadFilter {
  return {
    statuses: query.all === true ? undefined : statusesOf(query['status-types'], ['unread']),
    before: endOfSecond(lastReadAtOf(query.last_read_at)),
  };
}

export function toStatusOf(query: Static<TObject<typeof ToStatusQuery>>): ThreadStatus {
  const [status = 'read'] = knownOf([query['to-status'] ?? ''], THREAD_STATUSES);
  return status;
}

function statusesOf(
  words: readonly string[] | undefined,
  usual: readonly ThreadStatus[],
): readonly ThreadStatus[] {
  const known = knownOf(words, THREAD_STATUSES);
  return known.length === 0 ? usual : known;
}

function knownOf<Word extends string>(sent: readonly string[] = [], words: readonly Word[]): readonly Word[] {
  const wanted = new Set(sent.map((each) => each.trim().toLowerCase()));
  return words.filter((word) => wanted.has(word));
}

function lastReadAtOf(text = ''): number | undefined {
  const sent = text.trim();
  if (sent === '' || sent === NEVER_FILLED) return undefined;
  const ms = readQueryTime(sent);
  if (ms !== undefined) return ms;
  const what = 'last_read_at must be an RFC 3339 date and time, such as 2030-01-31T00:00:00Z';
  throw new ForgeError({ kind: 'bad_request', what });
}

/** Records show whole seconds, so a client that sends such a time back means all of its second. */
function endOfSecond(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.floor(ms / 1000) * 1000 + 999;
}
