import type { SignedIn } from '../../api/access/viewer.ts';
import { conflict, invalid } from '../../base/core/failure.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { Protections } from '../../code/protection/service.ts';
import { requireTagTarget } from '../../code/tags/service.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import { hasLostRace } from '../../hosting/repositories/refs/change-refs.ts';
import { LOST_RACE } from '../../hosting/repositories/refs/lost-races.ts';
import type { Pushes, RefsChange } from '../../hosting/repositories/refs/pushes.ts';
import { addToRepositoryCounts } from '../../hosting/repositories/writes.ts';
import { type ReleaseFields, tagRef } from './model.ts';
import { recordEdit } from './record.ts';
import { listPublishedOf, setRelease, tagExists } from './store/releases.ts';

const TAGS = tagRef('');

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'writes'>;
  readonly pushes: Pushes;
  readonly protections: Protections;
}

/** Ensures that published releases have tags. */
export class ReleaseTags {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Runs `write` in a transaction in which the tag exists: it existed before, or the transaction creates it.
   *
   * @returns `LOST_RACE` if the tag was created or deleted meanwhile: nothing is written
   * @throws ForgeError as `Pushes.push`; `forbidden`, with the reason `protected`; `invalid` for an empty repository;
   *   `not_found` for a missing target; `conflict` if another ref is in the way; any error of `write`
   */
  async withTag<T>(
    viewer: SignedIn,
    repository: Repository,
    { tag, target }: Pick<ReleaseFields, 'tag' | 'target'>,
    write: (tx: Tx) => Promise<T>,
  ): Promise<T | typeof LOST_RACE> {
    const { database, git, pushes, protections } = this.#use;
    await using session = await git.writes.begin(repository.id);
    const ref = tagRef(tag);
    if (session.base.ref(ref) !== undefined)
      return database
        .transaction(async (tx) => {
          await protections.requireMayChangeTag(tx, viewer, repository.id, tag);
          const written = await write(tx);
          // `write` has locked the repository.
          if (!(await tagExists(tx, repository.id, tag))) throw new TagGone();
          return written;
        })
        .catch(asLostRace);
    if (repository.isEmpty) throw invalid('the repository is empty: push a commit first');
    const commit = await requireTagTarget(session, repository, target);
    let written: T | undefined;
    const results = await pushes.push(session, {
      repository,
      pusher: viewer,
      origin: { kind: 'api' },
      updates: [{ ref, old: null, new: commit }],
      atomic: true,
      afterRules: async (tx) => {
        written = await write(tx);
      },
    });
    return hasLostRace(results) || written === undefined ? LOST_RACE : written;
  }

  /**
   * Makes drafts of the releases whose tags a push has deleted.
   *
   * @throws ForgeError `conflict` if a call of the API deletes the tag of a release
   */
  async afterPush(tx: Tx, { repositoryId, moved, pusher, origin }: RefsChange): Promise<void> {
    const deleted = moved.filter((update) => update.new === null && update.ref.startsWith(TAGS));
    if (deleted.length === 0) return;
    const tags = deleted.map(({ ref }) => ref.slice(TAGS.length));
    const releases = await listPublishedOf(tx, repositoryId, tags);
    if (releases.length === 0) return;
    if (origin.kind === 'api')
      throw conflict(`the tag ${releases[0]?.tag} belongs to a release: delete the release first`);
    await addToRepositoryCounts(tx, [repositoryId], { releases: -releases.length });
    for (const before of releases) {
      const after = { ...before, isDraft: true, publishedAt: currentTimeMs() };
      await setRelease(tx, before.id, after);
      await recordEdit({ tx, actor: pusher }, before, after);
    }
  }
}

/** Reports that a tag was deleted after it was seen. */
class TagGone extends Error {}

function asLostRace(error: unknown): typeof LOST_RACE {
  if (error instanceof TagGone) return LOST_RACE;
  throw error;
}
