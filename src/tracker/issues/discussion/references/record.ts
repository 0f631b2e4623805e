import type { Repositories } from '../../../../hosting/repositories/service.ts';
import { showsUnit, unitOf } from '../../../../hosting/repositories/tracker.ts';
import type { IssueState } from '../../model.ts';
import type { NewEntry } from '../../models/entries.ts';
import type { Recording } from '../../record.ts';
import { setIssueWords, setWords } from '../../search/store/words.ts';
import { insertEntryOfEach } from '../../store/entries.ts';
import { insertLinks } from '../../store/links.ts';
import type { ReadText } from './read.ts';
import { type FoundTarget, findTargets, insertReferences, sourceOf } from './store.ts';

/**
 * Writes what follows from the title and the text of an issue, new or changed: the words by which it is found, its
 * mentions, and entries in the timelines of issues that it refers to.
 */
export async function recordIssueText(
  recording: Recording,
  issue: IssueState,
  text: ReadText,
  repositories: Repositories,
): Promise<void> {
  await setIssueWords(recording.tx, issue);
  await recordReferences(recording, { issue, entryId: null }, text, repositories);
}

/** Does the same for the text of a comment. */
export async function recordCommentText(
  recording: Recording,
  { issue, comment }: { issue: IssueState; comment: { readonly id: number; readonly body: string } },
  text: ReadText,
  repositories: Repositories,
): Promise<void> {
  await setWords(recording.tx, 'comment', [{ ...comment, repositoryId: issue.repositoryId }]);
  await recordReferences(recording, { issue, entryId: comment.id }, text, repositories);
}

/** Texts of a review that have become visible. */
interface ReviewTexts {
  /** in the timeline */
  readonly entryId: number | null;
  /** '' if the review has no text, or had it before */
  readonly body: string;
  /** comments on lines */
  readonly lines: readonly { readonly id: number; readonly body: string }[];
}

/** Does the same for texts of a submitted review. */
export async function recordReviewTexts(
  recording: Recording,
  { issue, review }: { readonly issue: IssueState; readonly review: ReviewTexts },
  text: ReadText,
  repositories: Repositories,
): Promise<void> {
  const { tx } = recording;
  const { repositoryId } = issue;
  const { entryId, body, lines } = review;
  if (entryId !== null && body !== '') await setWords(tx, 'comment', [{ id: entryId, repositoryId, body }]);
  await setWords(
    tx,
    'line',
    lines.map((line) => ({ id: line.id, repositoryId, body: line.body })),
  );
  await recordReferences(recording, { issue, entryId }, text, repositories);
}

/** The text of an issue, or of one of its entries. */
interface TextSource {
  readonly issue: IssueState;
  /** of a comment or a review; null: the text of the issue */
  readonly entryId: number | null;
}

/** Writes the mentions of a text, and entries in the timelines of issues that it refers to. */
async function recordReferences(
  recording: Recording,
  source: TextSource,
  text: ReadText,
  repositories: Repositories,
): Promise<void> {
  const { tx, viewer, at } = recording;
  const { issue, entryId } = source;
  await recordMentions(recording, issue, text, repositories);
  const wanted = text.issues.map((target) => ({
    ...target,
    repositoryId: target.repositoryId ?? issue.repositoryId,
  }));
  const isReadable = await readableBy(recording, issue, text, repositories);
  const found = (await findTargets(tx, wanted)).filter(
    (target) => target.id !== issue.id && isReadable(target),
  );
  const key = sourceOf(entryId === null ? { issueId: issue.id } : { entryId });
  const added = await insertReferences(
    tx,
    key,
    found.map(({ id }) => id),
  );
  const entries = found
    .filter(({ id }) => added.has(id))
    .map((target) => {
      const named = wanted.find(
        ({ repositoryId, number }) => repositoryId === target.repositoryId && number === target.number,
      );
      return { issue: target, entry: entryOf(source, named?.keyword ?? 'none') };
    });
  await insertEntryOfEach(tx, { authorId: viewer.accountId, at }, entries);
}

/** Returns a check whether the writer may read a target: the repository may show the other kind to other users. */
async function readableBy(
  { tx, viewer }: Recording,
  { repositoryId: own, isPull }: IssueState,
  { issues }: ReadText,
  repositories: Repositories,
): Promise<(target: FoundTarget) => boolean> {
  const kinds = new Map(issues.map((each) => [each.repositoryId, each.kinds]));
  const here = kinds.has(null) ? await repositories.find(tx, viewer, own) : undefined;
  return (target) => {
    if (target.repositoryId === own && target.isPull === isPull) return true;
    const unit = unitOf(target);
    if (target.repositoryId === own && here !== undefined) return showsUnit(here, unit);
    const shown = kinds.get(target.repositoryId);
    return shown === 'all' || shown === unit;
  };
}

function entryOf({ issue, entryId }: TextSource, refAction: 'none' | 'closes' | 'reopens'): NewEntry {
  const details = { otherIssueId: issue.id, refAction };
  if (entryId === null) return { kind: issue.isPull ? 'pull_ref' : 'issue_ref', details };
  return { kind: 'comment_ref', details: { ...details, otherEntryId: entryId } };
}

/** A user who may not read the issue is not mentioned. */
async function recordMentions(
  recording: Recording,
  issue: IssueState,
  { mentions, teams }: ReadText,
  repositories: Repositories,
): Promise<void> {
  if (mentions.length === 0 && teams.length === 0) return;
  const { tx, viewer } = recording;
  const ids = await repositories.people.findReaders(tx, issue.repositoryId, {
    unit: unitOf(issue),
    names: mentions,
    teams: teams.length === 0 ? [] : await teamsOfOwner(recording, issue, teams, repositories),
    writerId: viewer.accountId,
  });
  await insertLinks(tx, 'mentions', issue, ids);
}

/** Filters the names of teams: returns those of the owner of the repository. */
async function teamsOfOwner(
  { tx, viewer }: Recording,
  { repositoryId }: IssueState,
  teams: ReadText['teams'],
  repositories: Repositories,
): Promise<readonly string[]> {
  const permitted = await repositories.find(tx, viewer, repositoryId);
  const owner = permitted?.repository.owner.name.toLowerCase();
  return teams.flatMap(({ organization, team }) => (organization.toLowerCase() === owner ? [team] : []));
}
