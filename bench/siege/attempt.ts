import { setTimeout as sleep } from 'node:timers/promises';
import type { RawConnection, ResponseHead } from './raw-http.ts';
import type { Targets } from './targets.ts';

/** One hostile connection, from its start to its end. */
export interface Attempt {
  readonly targets: Targets;
  readonly connection: RawConnection;
  /** address that the connection seems to come from */
  readonly address: string;
  /** number of the attempt */
  readonly turn: number;
  readonly signal: AbortSignal;
}

/** Returns what the server answered, or undefined if it did not. */
export type Attack = (attempt: Attempt) => Promise<ResponseHead | undefined>;

/** An attacker gives up on a connection after this long and opens another. */
export const OPEN_MS = 45_000;

/** The server trusts the program as a proxy, so that its connections come from many addresses. */
export function from(address: string): Record<string, string> {
  return { 'x-forwarded-for': address };
}

/** Waits for an answer, or holds the connection as long as the attacker has patience. */
export async function untilClosed(connection: RawConnection): Promise<ResponseHead | undefined> {
  const timer = setTimeout(() => connection.end(), OPEN_MS);
  // The server decides when an answered connection ends.
  const head = await connection.head;
  if (head !== undefined && head.status !== 200) connection.end();
  await connection.closed();
  clearTimeout(timer);
  return head;
}

/** Waits for an answer, and ends the connection. */
export async function answered(connection: RawConnection): Promise<ResponseHead | undefined> {
  const timer = setTimeout(() => connection.end(), OPEN_MS);
  const head = await connection.head;
  connection.end();
  clearTimeout(timer);
  return head;
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
