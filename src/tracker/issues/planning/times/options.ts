import type { Static, TObject } from 'typebox';
import { malformed } from '../../../../base/core/failure.ts';
import { NEVER_FILLED, readTime } from '../../../../http/time.ts';
import type { NewTime, TimeFilter } from '../../models/times.ts';
import { timeRangeOf } from '../../options.ts';
import type { AddTimeBody, TimeQuery } from './schema.ts';

/** @throws ForgeError `invalid` for a malformed time */
export function timeFilterOf(query: Static<TObject<typeof TimeQuery>>): TimeFilter {
  return { ...timeRangeOf(query), user: query.user === '' ? undefined : query.user };
}

/** Reads a new time. Some clients send the zero time to mean no time. @throws ForgeError `malformed` */
export function newTimeOf({ time, user_name, created }: Static<typeof AddTimeBody>): NewTime {
  if (created === undefined || created === NEVER_FILLED) return { seconds: time, user: user_name };
  const at = readTime(created);
  if (at === undefined) throw malformed('[Created]: must be an RFC 3339 date and time');
  return { seconds: time, user: user_name, at };
}
