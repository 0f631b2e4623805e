import { hasUnseen } from '../../base/core/text/text.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { Oid } from './model.ts';

/** Refs of the server itself. No client sees, makes, moves or deletes them. */
export const OWN_REFS = 'refs/quire/';
/** Refs of branches. */
export const BRANCHES = 'refs/heads/';
/** Refs of pull requests. Clients see them, and only the server writes them. */
export const PULL_REFS = 'refs/pull/';
/** A client that pushes to a name below proposes a commit for a branch. No such ref exists. */
export const PROPOSALS = 'refs/for/';
/** Namespaces that only the server writes, or that would change the meaning of other objects. */
const RESERVED_NAMESPACES = [PULL_REFS, 'refs/replace/', PROPOSALS, OWN_REFS];
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes a ref name from the wire. Returns undefined if it is not UTF-8. */
export function decodeRefName(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Yields the refs that clients see, those whose names begin with `prefix`. */
export function* visibleRefs(
  snapshot: { refs(prefix: string): Iterable<readonly [name: string, oid: Oid, peeled: Oid | null]> },
  prefix = 'refs/',
): Generator<readonly [name: string, oid: Oid, peeled: Oid | null]> {
  for (const ref of snapshot.refs(prefix)) {
    if (!isOwnRef(ref[0])) yield ref;
  }
}

export function isOwnRef(name: string): boolean {
  return name.startsWith(OWN_REFS);
}

export function branchRef(name: string): string {
  return `${BRANCHES}${name}`;
}

/** Returns the name of the branch whose ref this is; undefined for other refs. */
export function branchNameOf(ref: string): string | undefined {
  return ref.startsWith(BRANCHES) ? ref.slice(BRANCHES.length) : undefined;
}

/** The ref that always points to the head of a pull request. */
export function pullHeadRef(number: number): string {
  return `${PULL_REFS}${number}/head`;
}

/** Returns the number of the pull request whose head a ref is; undefined for other refs. */
export function numberOfPullHead(ref: string): number | undefined {
  const [, digits] = /^refs\/pull\/([1-9]\d*)\/head$/.exec(ref) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

interface RefChange {
  readonly ref: string;
  /** null: the ref is new */
  readonly old: Oid | null;
  /** null: the ref is deleted */
  readonly new: Oid | null;
}

/**
 * Explains why a client may not make this change of a ref, or returns undefined for a valid one. A client may delete refs
 * with invalid names, which may come from an import, and move those that are only hard to read. Only the server deletes its
 * own refs and those of pull requests.
 */
export function refChangeProblem({ ref, old, new: oid }: RefChange): string | undefined {
  if (oid === null && !isOwnRef(ref) && !ref.startsWith(PULL_REFS)) return undefined;
  const problem = refNameProblem(ref);
  if (problem !== undefined || old !== null) return problem;
  return hasUnseen(ref) ? 'a new name cannot hold invisible characters or marks of direction' : undefined;
}

/**
 * Explains why a client may not create or move the ref with this full name, or returns undefined for a valid name.
 *
 * @see git-check-ref-format(1)
 */
export function refNameProblem(name: string): string | undefined {
  const problem = malformedRefName(name);
  if (problem !== undefined) return problem;
  const [refs, namespace, ...rest] = name.split('/');
  if (refs !== 'refs' || namespace === undefined || rest.length === 0) {
    return 'a ref name begins with refs/ and a namespace, such as refs/heads/';
  }
  const reserved = RESERVED_NAMESPACES.find((prefix) => name.startsWith(prefix));
  if (reserved !== undefined) return `${reserved} is reserved`;
  return shortNameProblem(rest.join('/'));
}

/** Explains why the short name of a branch is invalid, or returns undefined for a valid name. */
export function branchNameProblem(short: string): string | undefined {
  return short === '' ? 'a branch needs a name' : refNameProblem(branchRef(short));
}

/** As `branchNameProblem`, for a tag. */
export function tagNameProblem(short: string): string | undefined {
  return short === '' ? 'a tag needs a name' : refNameProblem(`refs/tags/${short}`);
}

/** Rejects short names that look like another ref, a commit id or a command option. */
function shortNameProblem(short: string): string | undefined {
  if (short.startsWith('-')) return 'a name cannot begin with a dash';
  if (short === 'HEAD') return 'HEAD is not a name for a branch or tag';
  if (short === 'refs' || short.startsWith('refs/')) return 'a name cannot begin with refs/';
  if (OBJECT_ID.test(short)) return 'a name cannot look like the id of a commit';
  return undefined;
}

/** Explains why git rejects a ref name, or returns undefined for a well-formed one. */
export function malformedRefName(name: string): string | undefined {
  if (name === '') return 'a ref needs a name';
  if (!name.isWellFormed()) return 'a ref name must be valid Unicode';
  if (Buffer.byteLength(name) > GIT_LIMITS.refNameBytesMax) {
    return `a ref name is at most ${GIT_LIMITS.refNameBytesMax} bytes long`;
  }
  if (/[\u0000-\u0020\u007f~^:?*[\\]/.test(name)) {
    return 'a ref name cannot hold spaces, control characters or any of ~ ^ : ? * [ \\';
  }
  if (name.includes('..') || name.includes('@{') || name === '@') {
    return 'a ref name cannot hold .. or @{';
  }
  if (name.endsWith('.')) return 'a ref name cannot end with a dot';
  return name
    .split('/')
    .map(componentProblem)
    .find((problem) => problem !== undefined);
}

function componentProblem(component: string): string | undefined {
  if (component === '') return 'a ref name cannot begin or end with a slash, or hold two in a row';
  if (component.startsWith('.')) return 'no part of a ref name can begin with a dot';
  if (component.endsWith('.lock')) return 'no part of a ref name can end with .lock';
  return undefined;
}

/** Compares names by their UTF-8 bytes, as git does. JavaScript's own order differs for surrogates. */
export function compareNames(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const ofA = a.charCodeAt(at);
    const ofB = b.charCodeAt(at);
    if (ofA !== ofB) return rank(ofA) - rank(ofB);
  }
  return a.length - b.length;
}

/** Ranks surrogates above all other units, because they encode the highest code points. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
