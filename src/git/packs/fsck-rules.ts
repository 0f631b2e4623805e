/**
 * Slips that real history holds and every git reads: old tools wrote them, and to refuse them would be to refuse the
 * project. Never on this list is what harms whoever reads or checks out: hasDot, hasDotdot, hasDotgit, nulInCommit,
 * multipleAuthors, gitmodulesSymlink and the like.
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

/** For `git index-pack --strict=`. */
export const STRICT_OPTION = `--strict=${TOLERATED_FSCK_MESSAGES.map((id) => `${id}=ignore`).join(',')}`;

/** For `git -c … fsck`. */
export const FSCK_SETTINGS = TOLERATED_FSCK_MESSAGES.map((id) => `fsck.${id}=ignore`);
