import type { Oid } from '../format/model.ts';
import type { RefVersion } from './ref-versions.ts';

/** The content of a mirrored `packed-refs` file. */
export interface PackedRefs {
  /** undefined: git wrote the file, not the server */
  readonly version: number | undefined;
  readonly head: string | undefined;
  readonly refs: ReadonlyMap<string, { readonly oid: Oid; readonly peeled: Oid | null }>;
}

/**
 * Formats the refs of one version as git's `packed-refs`. The version and HEAD are in the first line among the traits,
 * where git ignores unknown ones, so one rename changes them together with the refs.
 *
 * @see git-pack-refs(1), and refs/packed-backend.c for the traits
 */
export function formatPackedRefs(current: RefVersion): string {
  const traits = `peeled fully-peeled sorted quire-version=${current.version} quire-head=${current.head}`;
  const lines = [`# pack-refs with: ${traits} `];
  for (const [name, { oid, peeled }] of current.refs.entries('')) {
    lines.push(`${oid} ${name}`);
    if (peeled !== null) lines.push(`^${peeled}`);
  }
  return `${lines.join('\n')}\n`;
}

export function parsePackedRefs(text: string): PackedRefs {
  const refs = new Map<string, { oid: Oid; peeled: Oid | null }>();
  const [header = '', ...lines] = text.split('\n');
  let last: { oid: Oid; peeled: Oid | null } | undefined;
  for (const line of header.startsWith('#') ? lines : [header, ...lines]) {
    if (line.startsWith('^')) {
      if (last !== undefined) last.peeled = line.slice(1);
    } else if (line.includes(' ')) {
      last = { oid: line.slice(0, line.indexOf(' ')), peeled: null };
      refs.set(line.slice(line.indexOf(' ') + 1), last);
    }
  }
  const version = /(?:^| )quire-version=(\d+) /.exec(header)?.[1];
  const head = /(?:^| )quire-head=(\S+) /.exec(header)?.[1];
  return { version: version === undefined ? undefined : Number(version), head, refs };
}
