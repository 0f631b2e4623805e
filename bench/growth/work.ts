import type { Answer, Forge } from '../corpus/forge.ts';
import type { Work } from './model.ts';

/** Counts from 1. */
export function counter(): () => number {
  let last = 0;
  return () => {
    last += 1;
    return last;
  };
}

/** A request that returns 200. */
export function get(forge: Forge, about: string, path: string): Work {
  return { about, run: () => expect(forge, 'GET', path, 200) };
}

/** @throws Error for another status */
export async function expect(
  forge: Forge,
  ...[method, path, status, json, headers]: [
    method: string,
    path: string,
    status: number,
    json?: unknown,
    headers?: Readonly<Record<string, string>>,
  ]
): Promise<Answer> {
  const answer = await forge.ask(method, path, {
    ...(json === undefined ? {} : { json }),
    ...(headers === undefined ? {} : { headers }),
  });
  if (answer.status !== status)
    throw new Error(`${method} ${path}: ${answer.status} ${answer.body.subarray(0, 200)}`);
  return answer;
}
