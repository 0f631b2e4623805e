import { readFileSync, statSync } from 'node:fs';
import { loadPackage } from '../../../base/core/native/packages.ts';
import { ConfigError } from '../../config-error.ts';
import { readClockChange, readTime } from '../clock-change.ts';
import { THROWAWAY_LIMITS } from '../limits.ts';
import type { Seed } from './model.ts';
import { SEED } from './schema.ts';

/** An unusable part of a seed. The message begins with its place: `users[2].name: …`. */
export class SeedError extends ConfigError {
  constructor(place: string, problem: string) {
    super(`${place === '' ? 'the seed' : place}: ${problem}`);
  }
}

/**
 * Reads a seed from a file: JSON if its name ends in `.json`, and YAML otherwise.
 *
 * @throws ConfigError, which names the file
 */
export function readSeedFile(path: string): Seed {
  try {
    return checkSeed(parse(textOf(path), path));
  } catch (error) {
    if (error instanceof SeedError) throw new ConfigError(`${path}: ${error.message}`);
    throw error;
  }
}

function textOf(path: string): string {
  try {
    if (statSync(path).size > THROWAWAY_LIMITS.seedFileBytesMax)
      throw new Error(`larger than ${THROWAWAY_LIMITS.seedFileBytesMax} bytes`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`cannot read the seed ${path}: ${(error as Error).message}`);
  }
}

function parse(text: string, path: string): unknown {
  try {
    return path.endsWith('.json') ? JSON.parse(text) : (loadPackage('yaml').parse(text) ?? {});
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    throw new ConfigError(`cannot parse the seed ${path}: ${line}`);
  }
}

/**
 * Checks the form of a seed.
 *
 * @throws SeedError
 */
export function checkSeed(value: unknown): Seed {
  const check = loadPackage('typebox/compile').Compile(SEED);
  if (!check.Check(value)) throw problemOf(check.Errors(value));
  const { made_at: madeAt, clock } = value;
  requireTime('made_at', madeAt);
  const change = clock === undefined ? {} : readClockChange(clock);
  if ('problem' in change) throw new SeedError('clock', String(change.problem));
  for (const [at, { commits = [] }] of (value.repositories ?? []).entries())
    for (const [index, { date }] of commits.entries())
      requireTime(`repositories[${at}].commits[${index}].date`, date);
  return value;
}

function requireTime(place: string, text: string | undefined): void {
  if (text === undefined || readTime(text) !== null) return;
  throw new SeedError(place, 'not a time from 1970 to 9998 with a time zone, such as 2030-01-31T12:00:00Z');
}

const UNKNOWN_KEY = 'unknown key: docs/testing.md lists the keys';

interface Problem {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

/** A value that fits no alternative has problems with each of them first. The whole of it says more. */
function problemOf(problems: readonly Problem[]): SeedError {
  const [first] = problems;
  if (first === undefined) return new SeedError('', 'malformed');
  const isWhole = ({ keyword, instancePath }: Problem) =>
    keyword === 'anyOf' && instancePath === first.instancePath;
  const { keyword, instancePath, message, params } = problems.find(isWhole) ?? first;
  const place = placeOf(instancePath);
  const { additionalProperties: unknown, requiredProperties: missing } = params as Readonly<
    Record<string, readonly string[]>
  >;
  // The shape of a member that must not be there is `false`.
  if (keyword === 'boolean') return new SeedError(place, UNKNOWN_KEY);
  if (keyword === 'additionalProperties' && unknown?.[0] !== undefined)
    return new SeedError(within(place, unknown[0]), UNKNOWN_KEY);
  if (keyword === 'required' && missing?.[0] !== undefined)
    return new SeedError(within(place, missing[0]), 'missing');
  const choices = keyword === 'anyOf' ? choicesOf(problems, instancePath) : [];
  if (choices.length > 0) return new SeedError(place, `must be one of ${choices.join(', ')}`);
  if (keyword === 'anyOf') return new SeedError(place, 'has the wrong type: docs/testing.md shows its form');
  if (keyword === 'pattern') return new SeedError(place, 'must be owner/name');
  return new SeedError(place, message);
}

/** The words that the value could have been. */
function choicesOf(problems: readonly Problem[], path: string): readonly string[] {
  return problems
    .filter(({ keyword, instancePath }) => keyword === 'const' && instancePath === path)
    .map(({ params }) => String((params as { allowedValue?: unknown }).allowedValue));
}

function within(place: string, key: string): string {
  return place === '' ? key : `${place}.${key}`;
}

/** `/users/2/name` as `users[2].name`. */
function placeOf(pointer: string): string {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return parts.reduce((place, part) => (/^\d+$/.test(part) ? `${place}[${part}]` : within(place, part)), '');
}
