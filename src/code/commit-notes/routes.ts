import type { FastifyRequest } from 'fastify';
import type { Viewer } from '../../api/access/viewer.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Addresses, App } from '../../http/app.ts';
import { namesVersion, requireMatch, unlessKnown } from '../../http/conditional.ts';
import { NOT_MODIFIED } from '../../http/shapes.ts';
import { commitOptionsOf, commitsTag } from '../git-data/commit-tag.ts';
import type { CommitOptions } from '../git-data/model.ts';
import { COMMIT_NOTE } from './actions.ts';
import type { FoundNote } from './model.ts';
import { NoteAnswer } from './present.ts';
import { NoteBody, NoteQuery } from './schema.ts';
import type { CommitNotes } from './service.ts';

const NOTE_URL = '/repos/:owner/:repo/git/notes/:sha';
const ALL = commitOptionsOf({});

interface Dependencies {
  readonly commitNotes: CommitNotes;
  readonly addresses: Addresses;
}

export function commitNoteRoutes(app: App, { commitNotes, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  const tagOf = ({ oid, known }: FoundNote, options: CommitOptions, viewer: Viewer) =>
    commitsTag([known], options, { viewer, addresses, also: oid });

  /** Returns the note that the request has seen, by its `If-Match`; undefined without one. */
  const seen = async (call: ChangeCall, action: typeof COMMIT_NOTE.set | typeof COMMIT_NOTE.remove) => {
    if (!namesVersion(call.request)) return undefined;
    const found = await commitNotes.find(call.viewer, call.path, call.params.sha, ALL, action);
    requireMatch(call.request, tagOf(found, ALL, call.viewer));
    return found.oid;
  };

  api.get(NOTE_URL, COMMIT_NOTE.read, {
    id: 'repoGetNote',
    otherwise: NOT_MODIFIED,
    summary: 'Get the note on a commit',
    failures: ['invalid'],
    query: NoteQuery,
    answer: NoteAnswer,
    async handle(call) {
      const options = commitOptionsOf(call.query);
      const found = await commitNotes.find(call.viewer, call.path, call.params.sha, options);
      const tag = tagOf(found, options, call.viewer);
      return unlessKnown(call, tag, () => commitNotes.read(found, options));
    },
  });

  api.post(NOTE_URL, COMMIT_NOTE.set, {
    id: 'repoSetNote',
    summary: 'Set the note on a commit',
    failures: ['archived', 'invalid', 'conflict', 'precondition_failed'],
    body: NoteBody,
    answer: NoteAnswer,
    async handle(call) {
      const { viewer, path, params } = call;
      const change = { name: params.sha, seen: await seen(call, COMMIT_NOTE.set) };
      await commitNotes.set(viewer, path, call.body.message, change);
      return commitNotes.read(await commitNotes.find(viewer, path, params.sha, ALL), ALL);
    },
  });

  api.delete(NOTE_URL, COMMIT_NOTE.remove, {
    id: 'repoRemoveNote',
    summary: 'Remove the note on a commit',
    failures: ['archived', 'invalid', 'precondition_failed'],
    async handle(call) {
      const change = { name: call.params.sha, seen: await seen(call, COMMIT_NOTE.remove) };
      return commitNotes.remove(call.viewer, call.path, change);
    },
  });
}

interface ChangeCall {
  readonly viewer: Viewer;
  readonly path: RepositoryPath;
  readonly params: { readonly sha: string };
  readonly request: FastifyRequest;
}
