/** Kinds of stored bytes. Every byte that counts is of one kind. */
export const KINDS = [
  'size:repos:public',
  'size:repos:private',
  'size:git:lfs',
  'size:assets:attachments:issues',
  'size:assets:attachments:releases',
  'size:assets:artifacts',
  'size:assets:packages:all',
  'size:assets:wiki',
] as const;
export type ByteKind = (typeof KINDS)[number];

const ATTACHMENTS = ['size:assets:attachments:issues', 'size:assets:attachments:releases'] as const;
const REPOSITORIES = ['size:repos:public', 'size:repos:private'] as const;

/** What a rule can limit, as the wire names it, with the kinds of bytes that it covers. */
const SUBJECTS: ReadonlyMap<string, readonly ByteKind[]> = new Map<string, readonly ByteKind[]>([
  ...KINDS.map((kind) => [kind, [kind]] as const),
  ['size:all', KINDS],
  ['size:repos:all', REPOSITORIES],
  ['size:git:all', [...REPOSITORIES, 'size:git:lfs']],
  [
    'size:assets:all',
    [...ATTACHMENTS, 'size:assets:artifacts', 'size:assets:packages:all', 'size:assets:wiki'],
  ],
  ['size:assets:attachments:all', ATTACHMENTS],
]);

/** Returns the kinds of bytes that a subject covers; undefined for an unknown subject. */
export function kindsOf(subject: string): readonly ByteKind[] | undefined {
  return SUBJECTS.get(subject);
}

/** Returns the kinds of bytes that at least one of these subjects covers, each once. */
export function kindsOfAll(subjects: readonly string[]): ReadonlySet<ByteKind> {
  return new Set(subjects.flatMap((subject) => kindsOf(subject) ?? []));
}

/** For error messages. */
export const SUBJECT_NAMES: readonly string[] = [...SUBJECTS.keys()].sort();

/** Returns the kinds of all bytes that a repository may have. */
export function kindsOfContent(repository: { readonly isPrivate: boolean }): readonly ByteKind[] {
  return [kindOfRepository(repository), 'size:git:lfs', ...ATTACHMENTS, 'size:assets:wiki'];
}

/** Returns the kind of the git objects of a repository. */
export function kindOfRepository({ isPrivate }: { readonly isPrivate: boolean }): ByteKind {
  return isPrivate ? 'size:repos:private' : 'size:repos:public';
}
