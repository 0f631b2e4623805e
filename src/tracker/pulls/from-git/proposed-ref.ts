import { invalid, notFound } from '../../../base/core/failure.ts';
import { hasUnseen, isPlainLine } from '../../../base/core/text/text.ts';
import { branchRef, malformedRefName, PROPOSALS } from '../../../git/format/ref-names.ts';
import type { Snapshot } from '../../../git/interface/snapshot.ts';
import { PULL_LIMITS } from '../limits.ts';

/** The branch for which a commit is proposed, and its topic. */
interface ProposedRef {
  /** short name */
  readonly base: string;
  readonly topic: string;
}

/**
 * Reads `refs/for/BRANCH` or `refs/for/BRANCH/TOPIC`. Branches and topics may have slashes.
 *
 * @param topic of the options of the push; '' if they have none
 * @throws ForgeError `invalid` for a malformed name, or without a topic; `not_found` if no such branch exists
 */
export function readProposedRef(ref: string, topic: string, snapshot: Pick<Snapshot, 'ref'>): ProposedRef {
  const problem = malformedRefName(ref);
  if (problem !== undefined) throw invalid(problem);
  const name = ref.slice(PROPOSALS.length);
  const base = beginningsOf(name).find((short) => snapshot.ref(branchRef(short)) !== undefined);
  if (base === undefined)
    throw notFound('branch', { say: `no branch has the name ${name}, or its beginning` });
  return { base, topic: validTopic(base === name ? topic : name.slice(base.length + 1)) };
}

/** Returns a name, and its beginnings that end before a slash; the longest first. */
function beginningsOf(name: string): readonly string[] {
  const parts = name.split('/');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('/'));
}

/** The topic is no part of a ref, so it may have spaces. */
function validTopic(topic: string): string {
  if (topic === '')
    throw invalid('the topic is missing: push to refs/for/BRANCH/TOPIC, or with -o topic=TOPIC');
  const bytesMax = PULL_LIMITS.topicBytesMax;
  if (Buffer.byteLength(topic) > bytesMax || !isPlainLine(topic) || hasUnseen(topic))
    throw invalid(`a topic has at most ${bytesMax} bytes, and no invisible characters`);
  return topic;
}

/** Returns the name of the head of a proposal: topics of several users do not meet. */
export function proposalHead(userName: string, topic: string): string {
  const prefix = headPrefix(userName);
  return topic.startsWith(prefix) ? topic : `${prefix}${topic}`;
}

/** Returns how the heads of all proposals of a user begin. */
export function headPrefix(userName: string): string {
  return `${userName.toLowerCase()}/`;
}
