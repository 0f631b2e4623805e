import type { Static } from 'typebox';
import { malformed } from '../../base/core/failure.ts';
import { NEVER_FILLED, readDueTime } from '../../http/time.ts';
import type { MilestoneFields, MilestoneFilter } from './model.ts';
import type { CreateMilestoneBody, EditMilestoneBody } from './schema.ts';

/** An unknown state counts as absent. */
export function milestoneFilterOf(query: {
  readonly state?: string;
  readonly name?: string;
}): MilestoneFilter {
  const { state, name = '' } = query;
  return { state: state === 'closed' || state === 'all' ? state : 'open', title: name };
}

/** @throws ForgeError `malformed` */
export function newMilestoneOf(body: Static<typeof CreateMilestoneBody>): MilestoneFields {
  return {
    title: body.title,
    description: body.description ?? '',
    dueAt: body.due_on === undefined ? null : dueTimeOf(body.due_on),
    isClosed: body.state === 'closed',
  };
}

/**
 * Returns the fields that a request changes.
 *
 * @throws ForgeError `malformed`
 */
export function milestoneEditOf(body: Static<typeof EditMilestoneBody>): Partial<MilestoneFields> {
  return {
    // Clients that change other fields send an empty title.
    ...(body.title === undefined || body.title === '' ? {} : { title: body.title }),
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.due_on === undefined ? {} : { dueAt: dueTimeOf(body.due_on) }),
    ...(body.state === undefined || body.state === '' ? {} : { isClosed: body.state === 'closed' }),
  };
}

/** Reads a due date. The zero time, which some clients send for none, means that there is none. */
function dueTimeOf(text: string): number | null {
  if (text === NEVER_FILLED) return null;
  const dueAt = readDueTime(text);
  if (dueAt === undefined) throw malformed('[DueOn]: must be an RFC 3339 date and time');
  return dueAt;
}
