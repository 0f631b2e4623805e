/**
 * Reads a pattern for paths such as `ada/engine`, without regard to case: `*` stands for any characters, and `?` for one.
 */
export function patternOf(text: string): RegExp {
  const parts = text.split(/([*?])/).map((part) => {
    if (part === '*') return '.*';
    return part === '?' ? '.' : part.replaceAll(/[.+^$()[\]{}|\\/]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('').replaceAll(/(?:\.\*)+/g, '.*')}$`, 'i');
}
