import type { TestContext } from 'node:test';
import { type Person, startForge, type TestForge } from '../support/forge.ts';

export const KINDS = ['public', 'private', 'limited'] as const;
/** A public repository, a private one, and a public one whose owner only those see who are signed in. */
export type RepositoryKind = (typeof KINDS)[number];
export const OWNER: Readonly<Record<RepositoryKind, string>> = {
  public: 'ada',
  private: 'pia',
  limited: 'lin',
};

export const VIEWERS = [
  'stranger',
  'restricted',
  'reader',
  'writer',
  'administrator',
  'owner',
  'site administrator',
] as const;
export type ViewerKind = (typeof VIEWERS)[number];

const COLLABORATORS = { reader: 'read', writer: 'write', administrator: 'admin' } as const;

/** A forge with a repository of each kind, and somebody at each level. */
export class Cast {
  readonly forge: TestForge;
  readonly #people: ReadonlyMap<string, Person>;

  constructor(forge: TestForge, people: ReadonlyMap<string, Person>) {
    this.forge = forge;
    this.#people = people;
  }

  person(name: string): Person {
    const person = this.#people.get(name);
    if (person === undefined) throw new Error(`nobody is called ${name}`);
    return person;
  }

  viewer(viewer: ViewerKind, kind: RepositoryKind): Person {
    if (viewer === 'site administrator') return this.forge.root;
    return this.person(viewer === 'owner' ? OWNER[kind] : viewer);
  }

  /** Makes one of the repositories, with its collaborators. */
  async make(kind: RepositoryKind, name: string): Promise<void> {
    const owner = this.person(OWNER[kind]);
    await owner.repository(name, { private: kind === 'private', auto_init: name === 'engine' });
    for (const [collaborator, permission] of Object.entries(COLLABORATORS)) {
      await owner.put(`/api/v1/repos/${owner.name}/${name}/collaborators/${collaborator}`, { permission });
    }
  }
}

export async function startCast(t: TestContext): Promise<Cast> {
  const forge = await startForge(t);
  const people = new Map<string, Person>();
  for (const name of ['stranger', 'reader', 'writer', 'administrator', 'ada', 'pia'])
    people.set(name, await forge.account(name));
  people.set('restricted', await forge.account('restricted', { restricted: true }));
  people.set('lin', await forge.account('lin', { visibility: 'limited' }));
  const cast = new Cast(forge, people);
  for (const kind of KINDS) {
    await cast.make(kind, 'engine');
    await cast.make(kind, 'doomed');
  }
  return cast;
}
