import type { Viewer } from '../../api/access/viewer.ts';
import { isFailure } from '../../base/core/failure.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { Oid } from '../../git/format/model.ts';
import type { ObjectReader, RepositoryId, Snapshot } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { PermittedRepository, RepositoryPath } from '../repositories/model.ts';
import type { Repositories } from '../repositories/service.ts';
import { setMainLanguage } from '../repositories/writes.ts';
import { LANGUAGE } from './actions.ts';
import { MissingBlobError, TooManyFilesError, TreeComparison } from './compare.ts';
import { LANGUAGE_LIMITS } from './limits.ts';
import type { LanguageBytes, Measurement } from './model.ts';
import { LanguageRules, rulesVersion } from './rules.ts';
import { findMeasurement, listLanguages, replaceMeasurement } from './store.ts';
import { languageTable } from './table.ts';

const ATTRIBUTES = '.gitattributes';
const NOTHING: LanguageBytes = new Map();

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly repositories: Repositories;
}

/** Languages of repositories. A job measures them after pushes; requests read rows. */
export class Languages {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Lists the languages of the last measurement, the most bytes first.
   *
   * @throws ForgeError as `Repositories.get`
   */
  async list(viewer: Viewer, path: RepositoryPath): Promise<LanguageBytes> {
    const { repository } = await this.#use.repositories.get(viewer, path, LANGUAGE.list);
    return listLanguages(this.#use.database.reader, repository.id);
  }

  /** Does the same for a repository whose code the caller may read. */
  ofRepository({ repository }: PermittedRepository): Promise<LanguageBytes> {
    return listLanguages(this.#use.database.reader, repository.id);
  }

  /**
   * Updates the rows to the present default branch, starting from their last measurement.
   *
   * @throws ForgeError `not_found` if the repository is missing; the reason of `signal`
   */
  async measure(id: RepositoryId, signal: AbortSignal): Promise<void> {
    const rules = rulesVersion(await languageTable());
    const snapshot = await this.#use.git.refs.open(id);
    const tree = await defaultTree(snapshot);
    const found = await findMeasurement(this.#use.database.reader, id);
    const known = found?.rules === rules ? found : undefined;
    if (known?.isOwn === true && known.tree === tree && tree !== null) return;
    const measured = await this.#measured(snapshot.objects, tree, { known, signal });
    await this.#use.database.transaction(async (tx) => {
      const bytes = measured ?? NOTHING;
      if (!(await setMainLanguage(tx, id, mainOf(bytes)))) return;
      await replaceMeasurement(tx, id, { tree: measured === null ? null : tree, rules, bytes });
    });
  }

  /** Copies the parent's measurement to a new fork. */
  async inherit(tx: Tx, id: RepositoryId): Promise<void> {
    const known = await findMeasurement(tx, id);
    if (known === undefined || known.isOwn) return;
    await setMainLanguage(tx, id, mainOf(known.bytes));
    await replaceMeasurement(tx, id, known);
  }

  /** @returns null if there are too many files */
  async #measured(
    objects: ObjectReader,
    tree: Oid | null,
    from: { known: Measurement | undefined; signal: AbortSignal },
  ): Promise<LanguageBytes | null> {
    if (tree === null) return NOTHING;
    const { known, signal } = from;
    const attributes = await attributesOf(objects, tree);
    const rules = new LanguageRules(await languageTable(), await textOf(objects, attributes));
    const compare = (before: Oid | null) => new TreeComparison({ objects, rules, signal }).run(before, tree);
    try {
      const before = known?.tree ?? null;
      if (known === undefined || before === null) return positive(await compare(null));
      return await this.#since(objects, { known, before, attributes }, compare);
    } catch (error) {
      if (error instanceof TooManyFilesError) return null;
      throw error;
    }
  }

  /** Continues the last measurement, unless its tree is missing or its rules differ. */
  async #since(
    objects: ObjectReader,
    { known, before, attributes }: { known: Measurement; before: Oid; attributes: Oid | undefined },
    compare: (before: Oid | null) => Promise<LanguageBytes>,
  ): Promise<LanguageBytes> {
    try {
      if ((await attributesOf(objects, before)) === attributes)
        return positive(sum(known.bytes, await compare(before)));
    } catch (error) {
      if (!isGone(error)) throw error;
    }
    return positive(await compare(null));
  }
}

/** Returns the root tree of the default branch; null if it has no commit. */
async function defaultTree(snapshot: Snapshot): Promise<Oid | null> {
  const tip = snapshot.ref(snapshot.head);
  const commit = tip === undefined ? undefined : await snapshot.objects.peelToCommit(tip);
  return commit === undefined ? null : (await snapshot.objects.readCommit(commit)).tree;
}

/** Returns the id of `.gitattributes` in the root. */
async function attributesOf(objects: ObjectReader, tree: Oid): Promise<Oid | undefined> {
  const entry = (await objects.openTree(tree)).find(ATTRIBUTES);
  return entry?.mode === '100644' || entry?.mode === '100755' ? entry.oid : undefined;
}

/** Reads a file; '' if it is missing or too large. */
async function textOf(objects: ObjectReader, oid: Oid | undefined): Promise<string> {
  if (oid === undefined) return '';
  const info = await objects.info(oid);
  if (info === undefined || info.sizeBytes > LANGUAGE_LIMITS.languageRulesBytesMax) return '';
  const bytes = await objects.readBlob(oid, { blobBytesMax: LANGUAGE_LIMITS.languageRulesBytesMax });
  return Buffer.from(bytes).toString('utf8');
}

function sum(bytes: LanguageBytes, change: LanguageBytes): LanguageBytes {
  const added = new Map(bytes);
  for (const [language, by] of change) added.set(language, (added.get(language) ?? 0) + by);
  return added;
}

function positive(bytes: LanguageBytes): LanguageBytes {
  return new Map([...bytes].filter(([, count]) => count > 0));
}

/** Returns the language with the most bytes; '' without one. Among equals, the first by name. */
function mainOf(bytes: LanguageBytes): string {
  const [first] = [...bytes].toSorted(([a, some], [b, others]) => others - some || (a < b ? -1 : 1));
  return first?.[0] ?? '';
}

function isGone(error: unknown): boolean {
  if (error instanceof MissingBlobError) return true;
  return isFailure(error, 'not_found');
}
