import type { ObjectFormat, Oid } from '../model.ts';

/** The branch in a bundle, as in the reference. A clone of the bundle checks it out. */
const BRANCH = 'refs/heads/bundle';

/**
 * Returns what precedes the pack in a bundle of one commit with its whole history.
 *
 * @see gitformat-bundle(5)
 */
export function bundleHeader(commit: Oid, format: ObjectFormat): Buffer {
  const signature = format === 'sha1' ? '# v2 git bundle\n' : `# v3 git bundle\n@object-format=${format}\n`;
  return Buffer.from(`${signature}${commit} ${BRANCH}\n${commit} HEAD\n\n`);
}
