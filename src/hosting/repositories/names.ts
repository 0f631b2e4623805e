import { REPOSITORY_LIMITS } from './limits.ts';

const ALLOWED = /^[A-Za-z0-9_.-]+$/;
const RESERVED: ReadonlySet<string> = new Set(['.', '..', '-']);
/** Endings with a different meaning in a URL: git's own suffix, the wiki's repository, feeds. */
const RESERVED_ENDINGS = ['.git', '.wiki', '.rss', '.atom'];

/** Describes why a repository cannot have this name; undefined for a valid name. */
export function repositoryNameProblem(name: string): string | undefined {
  if (name === '') return '[Name]: Required';
  if (name.length > REPOSITORY_LIMITS.repositoryNameCharsMax)
    return `[Name]: MaxSize(${REPOSITORY_LIMITS.repositoryNameCharsMax})`;
  if (!ALLOWED.test(name)) return '[Name]: AlphaDashDot';
  if (RESERVED.has(name)) return `name is reserved [name: ${name}]`;
  const ending = RESERVED_ENDINGS.find((candidate) => name.toLowerCase().endsWith(candidate));
  return ending === undefined ? undefined : `name pattern is not allowed [pattern: *${ending}]`;
}

/** Whether a repository could have this name. If not, callers need not ask the database. */
export function isPossibleRepositoryName(name: string): boolean {
  return name.length <= REPOSITORY_LIMITS.repositoryNameCharsMax && ALLOWED.test(name);
}
