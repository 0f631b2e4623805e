import type { SignedIn } from '../../api/access/viewer.ts';
import { invalid } from '../../base/core/failure.ts';
import { Signal } from '../../base/core/signal.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Tx } from '../../base/database/database.ts';
import type { Oid } from '../../git/format/model.ts';
import { emptyTreeOid } from '../../git/format/object-format.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import type { Addresses } from '../../http/app.ts';
import type { ObjectLinks } from '../lfs/links.ts';
import { REPOSITORY } from '../repositories/actions.ts';
import { buildFirstCommit } from '../repositories/creation/first-commit.ts';
import type { CreationRequest, InitialState } from '../repositories/creation/model.ts';
import type { FutureOwners } from '../repositories/creation/owners.ts';
import type {
  NewRepository,
  PermittedRepository,
  Repository,
  RepositoryPath,
} from '../repositories/model.ts';
import type { Repositories } from '../repositories/service.ts';
import { variablesOf } from './expand.ts';
import { editsToFillIn } from './tree.ts';

/** What a new repository takes from its template. */
export interface Taken {
  readonly content: boolean;
  readonly topics: boolean;
  readonly labels: boolean;
}

export interface WantedGeneration {
  readonly name: string;
  readonly owner: string;
  readonly description: string;
  readonly isPrivate: boolean | null;
  /** null: the template's */
  readonly defaultBranch: string | null;
  readonly taken: Taken;
}

export interface Generated {
  readonly from: Repository;
  readonly to: RepositoryId;
  readonly taken: Taken;
}

interface Dependencies {
  readonly repositories: Repositories;
  readonly owners: FutureOwners;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly addresses: Addresses;
  readonly objectLinks: ObjectLinks;
}

/** Creates repositories from template repositories: their files of now, without their history. */
export class TemplateRepositories {
  /** in the transaction in which a repository appears that was created from a template */
  readonly generated = new Signal<[tx: Tx, generated: Generated]>();
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Creates a repository from a template.
   *
   * @throws ForgeError `not_found` (the template or the owner is missing or hidden), `invalid` (not a template, no item
   *   selected, or the template cannot be filled in), `forbidden`, `conflict`: nothing is left of it
   */
  async generate(
    viewer: SignedIn,
    path: RepositoryPath,
    wanted: WantedGeneration,
  ): Promise<PermittedRepository> {
    const { repository: template } = await this.#use.repositories.get(viewer, path, REPOSITORY.fetch);
    if (!template.isTemplate) throw invalid('this repository is not a template');
    const { taken } = wanted;
    if (!taken.content && !taken.topics && !taken.labels)
      throw invalid('must select at least one template item');
    const owner = await this.#use.owners.get(viewer, wanted.owner);
    const creation = { viewer, owner, wanted: newRepositoryOf(wanted, template) };
    const id = await this.#use.repositories.creation.createWith(
      creation,
      this.#initial(creation, template, taken),
    );
    return this.#use.repositories.getById(viewer, id, REPOSITORY.read);
  }

  #initial(creation: CreationRequest, template: Repository, taken: Taken): InitialState {
    // What the pointers among the files name, found before the transaction that writes the rows.
    let oids: readonly string[] = [];
    const rows = (tx: Tx, id: RepositoryId) => this.#copyRows(tx, { creation, template, taken, oids, id });
    if (!taken.content || template.isEmpty) return { rows };
    const commit = async (session: WriteSession) => {
      const made = await this.#commit(session, creation, template);
      oids = await this.#use.objectLinks.namedIn(session, [made], template.id);
      return made;
    };
    return { rows, commit };
  }

  async #copyRows(
    tx: Tx,
    made: {
      creation: CreationRequest;
      template: Repository;
      taken: Taken;
      oids: readonly string[];
      id: RepositoryId;
    },
  ): Promise<void> {
    const { creation, template, taken, oids, id: to } = made;
    // The viewer may have lost access while its files were copied, and no deletion may take rows that are being copied.
    const { repository: from } = await this.#use.repositories.lock(
      tx,
      creation.viewer,
      template.id,
      REPOSITORY.fetch,
    );
    await this.#use.objectLinks.copy(tx, { from: from.id, to, oids });
    await this.generated.notify(tx, { from, to, taken });
  }

  async #commit(session: WriteSession, creation: CreationRequest, template: Repository): Promise<Oid> {
    const tree = await this.#copyTree(session, template);
    const repository = { owner: creation.owner, ...creation.wanted };
    const variables = variablesOf(
      { template, repository, at: new Date(currentTimeMs()) },
      this.#use.addresses,
    );
    const edits = await editsToFillIn(session, tree, variables);
    const author = await this.#use.repositories.creation.authorOf(creation);
    return buildFirstCommit(session, { tree, edits }, author);
  }

  /** Takes the tree of the default branch without its history: deleted files of the template stay private to it. */
  async #copyTree(session: WriteSession, template: Repository): Promise<Oid> {
    const snapshot = await this.#use.git.refs.open(template.id);
    const tip = snapshot.ref(snapshot.head);
    if (tip === undefined) throw invalid(`the template has no branch ${template.defaultBranch}`);
    const { tree } = await snapshot.objects.readCommit(tip);
    // git knows the empty tree without storing it.
    if (tree !== emptyTreeOid(snapshot.objectFormat)) await session.copyFrom(snapshot, [tree]);
    return tree;
  }
}

function newRepositoryOf(wanted: WantedGeneration, template: Repository): NewRepository {
  const { name, description, isPrivate } = wanted;
  const { objectFormat } = template;
  const defaultBranch = wanted.defaultBranch ?? template.defaultBranch;
  return {
    name,
    description,
    isPrivate,
    isTemplate: false,
    defaultBranch,
    objectFormat,
    trustModel: 'default',
  };
}
