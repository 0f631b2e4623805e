/**
 * Tolerated malformations, which old tools left in real history and every git reads. Rejecting them would reject whole
 * projects. This list must never contain checks that protect readers and checkouts, such as hasDot, hasDotdot,
 * hasDotgit, nulInCommit, multipleAuthors and gitmodulesSymlink.
 *
 * @see git-fsck(1), FSCK MESSAGES
 */
export const TOLERATED_FSCK_MESSAGES = [
  'badTimezone',
  'missingSpaceBeforeDate',
  'missingSpaceBeforeEmail',
  'missingEmail',
  'missingNameBeforeEmail',
  'zeroPaddedFilemode',
  'zeroPaddedDate',
] as const;

/** A line in which git reports a malformed object. The sender is the cause, whatever the line names. */
export const FSCK_REPORT = /^error: object [0-9a-f]{40,64}: [a-zA-Z]+: /m;

/** For `git index-pack --strict=`. */
export const STRICT_OPTION = `--strict=${TOLERATED_FSCK_MESSAGES.map((id) => `${id}=ignore`).join(',')}`;

/** For `git -c … fsck`. */
export const FSCK_SETTINGS = TOLERATED_FSCK_MESSAGES.map((id) => `fsck.${id}=ignore`);
