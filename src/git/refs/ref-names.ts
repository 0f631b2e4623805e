import { LIMITS } from '../../core/limits.ts';

/** Namespaces that only the server itself writes, or that would change what other objects mean. */
const RESERVED_NAMESPACES = ['refs/pull/', 'refs/replace/', 'refs/for/'];
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A ref name as it came over the wire; undefined when it is not UTF-8. */
export function decodeRefName(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Why a client may not create or move the ref of this full name, or undefined where it may. Deleting is always
 * possible, so that a bad name from elsewhere can be got rid of.
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

/** The same for the short name of a branch or tag. */
export function branchNameProblem(short: string): string | undefined {
  return refNameProblem(`refs/heads/${short}`);
}

/** A short name that somebody could take for another ref, for a commit or for an option of a command. */
function shortNameProblem(short: string): string | undefined {
  if (short.startsWith('-')) return 'a name cannot begin with a dash';
  if (short === 'HEAD') return 'HEAD is not a name for a branch or tag';
  if (short === 'refs' || short.startsWith('refs/')) return 'a name cannot begin with refs/';
  if (OBJECT_ID.test(short)) return 'a name cannot look like the id of a commit';
  return undefined;
}

/** What git itself refuses in any ref name. */
export function malformedRefName(name: string): string | undefined {
  if (name === '') return 'a ref needs a name';
  if (!name.isWellFormed()) return 'a ref name must be valid Unicode';
  if (Buffer.byteLength(name) > LIMITS.refNameBytesMax) {
    return `a ref name is at most ${LIMITS.refNameBytesMax} bytes long`;
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
