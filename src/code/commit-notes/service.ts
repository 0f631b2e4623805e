import type { RepositoryAction } from '../../api/access/actions.ts';
import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { invalid, notFound } from '../../base/core/failure.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Oid } from '../../git/format/model.ts';
import { branchRef, malformedRefName } from '../../git/format/ref-names.ts';
import type { RefUpdate } from '../../git/interface/refs.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import { buildCommit, signatureAt } from '../../git/trees/commit-builder.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import { changeRefs } from '../../hosting/repositories/refs/change-refs.ts';
import type { Pushes } from '../../hosting/repositories/refs/pushes.ts';
import { resolveRef } from '../../hosting/repositories/refs/resolve-ref.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { changedSince } from '../../http/conditional.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { lastOf } from '../contents/entries.ts';
import type { LastCommits } from '../contents/last-commits/service.ts';
import { CONTENTS_LIMITS } from '../contents/limits.ts';
import type { CommitReader, OpenRepository } from '../git-data/commit-reader.ts';
import type { CommitOptions, KnownCommit } from '../git-data/model.ts';
import { COMMIT_NOTE } from './actions.ts';
import type { CommitNote, FoundNote } from './model.ts';
import { findNotePath, type NotePath } from './note-paths.ts';

/** The ref that git uses by default. @see git-notes(1) */
const NOTES_REF = 'refs/notes/commits';
const ORIGIN = { kind: 'api' } as const;

/** A change of the note on one commit. */
interface NoteChange {
  /** a branch, tag or commit */
  readonly name: string;
  /** rejects a note that has changed since the viewer saw this blob; undefined: any or none */
  readonly seen: Oid | undefined;
}

interface Dependencies {
  readonly repositories: Repositories;
  readonly accounts: Accounts;
  readonly git: Pick<GitStorage, 'refs' | 'writes'>;
  readonly pushes: Pushes;
  readonly commitReader: CommitReader;
  readonly lastCommits: LastCommits;
}

/** Reads, writes and removes the notes on commits that git itself shows. */
export class CommitNotes {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Finds the note on a commit, without its text.
   *
   * @param name a branch, tag or commit
   * @throws ForgeError as `Repositories.get`; `not_found` for a missing commit or note; `invalid` for a name that no ref
   *   can have; `busy`
   */
  async find(
    viewer: Viewer,
    path: RepositoryPath,
    name: string,
    options: CommitOptions,
    action: RepositoryAction = COMMIT_NOTE.read,
  ): Promise<FoundNote> {
    const { repository } = await this.#use.repositories.get(viewer, path, action);
    const opened = { repository, snapshot: await this.#use.git.refs.open(repository.id) };
    const note = await findNote(opened.snapshot, await commitOf(opened.snapshot, name));
    if (note === undefined) throw notFound('note');
    const known = await this.#writtenBy(viewer, opened, note, options);
    return { snapshot: opened.snapshot, oid: note.oid, known };
  }

  async #writtenBy(
    viewer: Viewer,
    opened: OpenRepository,
    { commit, path }: StoredNote,
    options: CommitOptions,
  ): Promise<KnownCommit> {
    const slash = path.lastIndexOf('/');
    const [folder, name] = [path.slice(0, Math.max(slash, 0)), path.slice(slash + 1)];
    const last = await this.#use.lastCommits.find(opened.snapshot, commit, folder, [name]);
    const [known] = await this.#use.commitReader.read(viewer, opened, [lastOf(last, name).oid], options);
    if (known === undefined) throw notFound('commit');
    return known;
  }

  /** @throws ForgeError `busy`; `invalid` for a commit whose changes are too many to list */
  async read({ snapshot, oid, known }: FoundNote, options: CommitOptions): Promise<CommitNote> {
    const text = await snapshot.objects.readBlob(oid, { blobBytesMax: CONTENTS_LIMITS.contentsBlobBytesMax });
    const [commit] = await this.#use.commitReader.describe(snapshot, [known], options);
    if (commit === undefined) throw notFound('commit');
    return { message: Buffer.from(text).toString(), commit };
  }

  /**
   * Writes the note on a commit, in place of the one that it may have.
   *
   * @throws ForgeError as `find` and `changeRefs`; `invalid` for a bad text; `precondition_failed`
   */
  async set(viewer: SignedIn, path: RepositoryPath, message: string, change: NoteChange): Promise<void> {
    requireText(message);
    const content = Buffer.from(`${message.trimEnd()}\n`);
    await this.#change(viewer, path, { ...change, action: COMMIT_NOTE.set }, ({ path: at }) => ({
      edit: { kind: 'put', path: at, mode: '100644', content },
      message: "Notes added by 'git notes add'\n",
    }));
  }

  /** @throws ForgeError as `find` and `changeRefs`; `precondition_failed` */
  async remove(viewer: SignedIn, path: RepositoryPath, change: NoteChange): Promise<void> {
    await this.#change(viewer, path, { ...change, action: COMMIT_NOTE.remove }, ({ path: at, oid }) => {
      if (oid === undefined) throw notFound('note');
      return { edit: { kind: 'remove', path: at }, message: "Notes removed by 'git notes remove'\n" };
    });
  }

  async #change(
    viewer: SignedIn,
    path: RepositoryPath,
    { name, seen, action }: NoteChange & { readonly action: RepositoryAction },
    plan: (at: NotePath) => NotePlan,
  ): Promise<void> {
    const { repository } = await this.#use.repositories.get(viewer, path, action);
    const push = { repository, pusher: viewer, origin: ORIGIN };
    this.#use.pushes.requireOpen(push);
    const person = await this.#use.accounts.commitPerson(viewer.accountId);
    await changeRefs(
      { git: this.#use.git, pushes: this.#use.pushes },
      {
        ...push,
        build: async (session) => {
          const object = await commitOf(session.base, name);
          const tip = session.base.ref(NOTES_REF) ?? null;
          const at = await notePathAt(session, tip, object);
          if (seen !== undefined && at.oid !== seen) throw changedSince('the note');
          const { edit, message } = plan(at);
          const signature = signatureAt(person, currentTimeMs());
          const commit = await buildCommit(session, {
            parents: tip === null ? [] : [tip],
            edits: [edit],
            author: signature,
            committer: signature,
            message,
          });
          const updates: RefUpdate[] = [{ ref: NOTES_REF, old: tip, new: commit.oid }];
          return { updates, result: undefined };
        },
      },
    );
  }
}

interface NotePlan {
  readonly edit: Parameters<typeof buildCommit>[1]['edits'][number];
  readonly message: string;
}

interface StoredNote {
  /** the tip of the notes */
  readonly commit: Oid;
  readonly path: string;
  readonly oid: Oid;
}

async function findNote(snapshot: Snapshot, object: Oid): Promise<StoredNote | undefined> {
  const commit = snapshot.ref(NOTES_REF);
  const info = commit === undefined ? undefined : await snapshot.objects.info(commit);
  if (commit === undefined || info?.type !== 'commit') return undefined;
  const { tree } = await snapshot.objects.readCommit(commit);
  const { path, oid } = await findNotePath(snapshot.objects, tree, object);
  return oid === undefined ? undefined : { commit, path, oid };
}

async function notePathAt(session: WriteSession, tip: Oid | null, object: Oid): Promise<NotePath> {
  if (tip === null) return { path: object, oid: undefined };
  const info = await session.objects.info(tip);
  if (info?.type !== 'commit') throw invalid(`${NOTES_REF} does not point to a commit`);
  const { tree } = await session.objects.readCommit(tip);
  return findNotePath(session.objects, tree, object);
}

/** @throws ForgeError `invalid`, `not_found` */
async function commitOf(snapshot: Snapshot, name: string): Promise<Oid> {
  if (malformedRefName(branchRef(name)) !== undefined) throw invalid(`no valid ref or sha: ${name}`);
  const resolved = await resolveRef(snapshot, name);
  if (resolved === undefined) throw notFound('commit');
  return resolved.commit;
}

/** @throws ForgeError `invalid` */
function requireText(message: string): void {
  if (message.trim() === '') throw invalid('[Message]: Required');
  if (message.length > CONTENTS_LIMITS.commitMessageCharsMax)
    throw invalid(`[Message]: MaxSize(${CONTENTS_LIMITS.commitMessageCharsMax})`);
  if (!message.isWellFormed()) throw invalid('[Message]: a note must be valid Unicode');
}
