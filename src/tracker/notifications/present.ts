import type { Static } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { answerOf } from '../../api/operations/answers.ts';
import { presentRepository, repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { wireTime } from '../../http/time.ts';
import { anchorOf } from '../issues/discussion/comments/present.ts';
import { issueAddresses } from '../issues/present.ts';
import type { Thread } from './model.ts';
import { CountSchema, ThreadSchema } from './schema.ts';

function presentThread(thread: Thread, viewer: Viewer, addresses: Addresses): Static<typeof ThreadSchema> {
  const { id, status, updatedAt, repository, subject } = thread;
  const place = { repository: repository.repository, number: subject.number, isPull: subject.isPull };
  const { url, htmlUrl } = issueAddresses(place, addresses);
  const { commentId } = subject;
  const commentsUrl = `${repositoryAddresses(repository.repository, addresses).url}/issues/comments`;
  return {
    id,
    repository: presentRepository(repository, viewer, addresses),
    subject: {
      title: subject.title,
      url,
      html_url: htmlUrl,
      latest_comment_url: commentId === null ? '' : `${commentsUrl}/${commentId}`,
      latest_comment_html_url: commentId === null ? '' : `${htmlUrl}#${anchorOf(commentId)}`,
      type: subject.isPull ? 'Pull' : 'Issue',
      state: subject.isMerged ? 'merged' : subject.isClosed ? 'closed' : 'open',
    },
    unread: status === 'unread',
    pinned: status === 'pinned',
    updated_at: wireTime(updatedAt),
    url: `${addresses.apiRoot}/notifications/threads/${id}`,
  };
}

export const ThreadAnswer = answerOf(ThreadSchema, presentThread);
export const CountAnswer = answerOf(CountSchema, (count: number) => ({ new: count }));
