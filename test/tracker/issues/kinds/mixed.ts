import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Person, TestForge } from '../../../support/forge/forge.ts';
import { type Guild, startGuild } from '../../../support/forge/organizations.ts';
import { commitFile } from '../../pulls/pulls.ts';
import { open, type Wire } from '../tracker.ts';

export const ENGINE = '/api/v1/repos/guild/engine';
export const ISSUES = `${ENGINE}/issues`;

/** The number of the issue, and of the pull request. */
export const ISSUE = 1;
export const PULL = 2;

/** A private repository `guild/engine` of ada, with an issue and a pull request. Each has a comment. */
export interface Mixed {
  readonly guild: Guild;
  readonly forge: TestForge;
  readonly ada: Person;
  /** may write issues, but sees no pull requests */
  readonly ida: Person;
  /** may write pull requests, but sees no issues */
  readonly pia: Person;
  /** may read both */
  readonly bob: Person;
  /** ids of the comments, by the number of their issue */
  readonly comments: Readonly<Record<number, number>>;
}

export async function startMixed(t: TestContext): Promise<Mixed> {
  const guild = await startGuild(t);
  const { ada, forge } = guild;
  const [ida, pia, bob] = [
    await forge.account('ida'),
    await forge.account('pia'),
    await forge.account('bob'),
  ];
  await guild.repository('engine', { private: true, auto_init: true });
  const repositories = ['engine'];
  const team = (name: string, members: readonly Person[], units_map: Record<string, string>) =>
    guild.team(name, { permission: 'read', members, repositories, units_map });
  await team('trackers', [ida], { 'repo.issues': 'write' });
  await team('mergers', [pia], { 'repo.pulls': 'write' });
  await team('readers', [bob], { 'repo.issues': 'read', 'repo.pulls': 'read' });
  await open(ada, 'An issue', {}, ISSUES);
  await openPull(ada, 'A pull request');
  const comments: Record<number, number> = {};
  for (const number of [ISSUE, PULL])
    comments[number] = (await ada.post(`${ISSUES}/${number}/comments`, { body: 'A comment' })).body.id;
  return { guild, forge, ada, ida, pia, bob, comments };
}

/** Opens a pull request from a new branch, and returns its record. */
export async function openPull(
  who: Person,
  title: string,
  fields: Record<string, unknown> = {},
  at = ENGINE,
): Promise<Wire> {
  const head = typeof fields.head === 'string' ? fields.head : title.toLowerCase().replace(/\W+/g, '-');
  const branch = await who.post(`${at}/branches`, { new_branch_name: head });
  assert.equal(branch.status, 201, branch.text);
  const opened = await who.post(`${at}/pulls`, { title, base: 'main', ...fields, head });
  assert.equal(opened.status, 201, opened.text);
  return opened.body;
}

/** Adds a file to the head of an open pull request, and merges it. @returns its record */
export async function mergePull(who: Person, number: number): Promise<Wire> {
  const at = `${ENGINE}/pulls/${number}`;
  const { head } = (await who.get(at)).body;
  await commitFile(who, `${head.ref}.txt`, 'pump\n', { repository: ENGINE, branch: head.ref });
  const { status, text } = await who.post(`${at}/merge`, { Do: 'merge' });
  assert.equal(status, 200, text);
  return (await who.get(at)).body;
}

export function titlesOf(list: readonly Wire[]): readonly string[] {
  return list.map(({ title }) => title);
}
