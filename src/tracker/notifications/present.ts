import type { Static } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { answerOf } from '../../api/operations/answers.ts';
import { presentRepository, repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { wireTime } from '../../http/time.ts';
import { anchorOf } from '../issues/discussion/comments/present.ts';
import { issueAddresses } from '../issues/present.ts';
import type { LatestText, Thread } from './model.ts';
import { CountSchema, ThreadSchema } from './schema.ts';

function presentThread(thread: Thread, viewer: Viewer, addresses: Addresses): Static<typeof ThreadSchema> {
  const { id, status, updatedAt, repository, subject } = thread;
  const place = { repository: repository.repository, number: subject.number, isPull: subject.isPull };
  const { url, htmlUrl } = issueAddresses(place, addresses);
  const { latestText: text } = subject;
  return {
    id,
    repository: presentRepository(repository, viewer, addresses),
    subject: {
      title: subject.title,
      url,
      html_url: htmlUrl,
      latest_comment_url: text === null ? '' : addressOf(thread, text, addresses),
      latest_comment_html_url: text === null ? '' : `${htmlUrl}#${anchorOf(text.entryId)}`,
      type: subject.isPull ? 'Pull' : 'Issue',
      state: subject.isMerged ? 'merged' : subject.isClosed ? 'closed' : 'open',
    },
    unread: status === 'unread',
    pinned: status === 'pinned',
    updated_at: wireTime(updatedAt),
    url: `${addresses.apiRoot}/notifications/threads/${id}`,
  };
}

/** Returns where the API has a comment or a review. */
function addressOf(
  { repository, subject }: Thread,
  { entryId, reviewId }: LatestText,
  addresses: Addresses,
): string {
  const { url } = repositoryAddresses(repository.repository, addresses);
  return reviewId === null
    ? `${url}/issues/comments/${entryId}`
    : `${url}/pulls/${subject.number}/reviews/${reviewId}`;
}

export const ThreadAnswer = answerOf(ThreadSchema, presentThread);
export const CountAnswer = answerOf(CountSchema, (count: number) => ({ new: count }));
