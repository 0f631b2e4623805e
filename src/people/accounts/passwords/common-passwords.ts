import { readFileSync } from 'node:fs';

const LIST = new URL('./generated/common-passwords.txt', import.meta.url);

let loaded: ReadonlySet<string> | undefined;

/** Whether a password, in any case, is one of the most common ones, which attackers try first. */
export function isCommonPassword(password: string): boolean {
  // Few requests set a password, so the list is read when it is first needed.
  loaded ??= readList();
  return loaded.has(password.toLowerCase());
}

function readList(): ReadonlySet<string> {
  const [, ...passwords] = readFileSync(LIST, 'utf8').trimEnd().split('\n');
  return new Set(passwords);
}
