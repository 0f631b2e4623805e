import { type AnyKind, type Cast, OWNER } from './forge.ts';
import { type Probe, pathOf } from './probe.ts';

type Ids = Map<AnyKind, Promise<Readonly<Record<string, string>>>>;

let count = 0;
/** What the words mean in a cast. Casts of other test files, which share the process, have other ids. */
const ids = new WeakMap<Cast, Ids>();

/** Returns the address of a probe, with words in capitals replaced: their values are known only when it runs. */
export async function addressOf(cast: Cast, probe: Probe, kind: AnyKind, self: string): Promise<string> {
  const ofCast: Ids = ids.get(cast) ?? new Map();
  ids.set(cast, ofCast);
  const known = ofCast.get(kind) ?? cast.ids(kind);
  ofCast.set(kind, known);
  count += 1;
  const words: Readonly<Record<string, string>> = { ...(await known), SELF: self, COUNT: String(count) };
  const values = {
    ':owner': OWNER[kind],
    ':template_owner': OWNER[kind],
    ':org': OWNER[kind],
    ':username': self,
    ...probe.filled,
  };
  const path = `${pathOf(probe.url, values)}${probe.query ?? ''}`;
  return path.replace(/REPOSITORY|COMMIT|BLOB|TEAM|OWNERS|SELF|COUNT/g, (word) => words[word] ?? word);
}
