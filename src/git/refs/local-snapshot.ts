import type { ObjectFormat, Oid } from '../format/model.ts';
import type { ObjectReader, RepositoryId, Snapshot } from '../interface/snapshot.ts';
import type { RefVersion } from './ref-versions.ts';

/** A version that was read from the rows. */
export class LocalSnapshot implements Snapshot {
  readonly id: RepositoryId;
  readonly objects: ObjectReader;
  readonly #at: RefVersion;

  constructor(id: RepositoryId, at: RefVersion, objects: ObjectReader) {
    this.id = id;
    this.objects = objects;
    this.#at = at;
  }

  get version(): number {
    return this.#at.version;
  }

  get objectFormat(): ObjectFormat {
    return this.#at.format;
  }

  get head(): string {
    return this.#at.head;
  }

  ref(name: string): Oid | undefined {
    return this.#at.refs.get(name)?.oid;
  }

  *refs(prefix: string): Generator<readonly [name: string, oid: Oid, peeled: Oid | null]> {
    for (const [name, { oid, peeled }] of this.#at.refs.entries(prefix)) yield [name, oid, peeled];
  }

  countRefs(prefix: string): number {
    return this.#at.refs.count(prefix);
  }

  isTip(oid: Oid): boolean {
    return this.#at.refs.hasTarget(oid);
  }

  peeled(name: string): Oid | undefined {
    return this.#at.refs.get(name)?.peeled ?? undefined;
  }
}
