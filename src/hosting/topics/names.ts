import { ForgeError } from '../../base/core/failure.ts';
import { TOPIC_LIMITS } from './limits.ts';

const PATTERN = /^[a-z0-9][-.a-z0-9]*$/;

export function isTopic(name: string): boolean {
  return name.length <= TOPIC_LIMITS.topicCharsMax && PATTERN.test(name);
}

/** Normalizes a topic: lowercase, without surrounding spaces. */
function plain(text: string): string {
  return text.trim().toLowerCase();
}

/** @throws ForgeError `invalid` */
export function topicOf(text: string): string {
  const name = plain(text);
  if (!isTopic(name)) throw invalidTopics('Topic name is invalid', [name]);
  return name;
}

/**
 * Normalizes a list of topics: sorted, without duplicates and empty ones.
 *
 * @throws ForgeError `invalid`
 */
export function topicsOf(texts: readonly string[]): readonly string[] {
  const names = [...new Set(texts.map(plain))].filter((name) => name !== '').sort();
  const bad = names.filter((name) => !isTopic(name));
  if (names.length - bad.length > TOPIC_LIMITS.topicsPerRepositoryMax) throw tooMany();
  if (bad.length > 0) throw invalidTopics('Topic names are invalid', bad);
  return names;
}

export function tooMany(): ForgeError {
  return invalidTopics(`a repository has at most ${TOPIC_LIMITS.topicsPerRepositoryMax} topics`, []);
}

function invalidTopics(what: string, topics: readonly string[]): ForgeError {
  return new ForgeError({ kind: 'invalid', what, topics });
}
