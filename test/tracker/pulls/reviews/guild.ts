import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { startGuild } from '../../../support/forge/organizations.ts';
import { commitFile } from '../pulls.ts';

export const GUILD = '/api/v1/repos/guild/engine';
export const GUILD_PULL = `${GUILD}/pulls/1`;

/** Starts a forge in which ben has opened a pull request in the guild's repository. ben and cyd are in the team `smiths`. */
export async function startGuildPull(t: TestContext) {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, cyd, dora] = [
    await forge.account('ben'),
    await forge.account('cyd'),
    await forge.account('dora'),
  ];
  await guild.repository('engine', { auto_init: true });
  const smiths = { members: [ben, cyd], repositories: ['engine'], permission: 'write' };
  await guild.team('smiths', { ...smiths, units: ['repo.code', 'repo.pulls', 'repo.issues'] });
  await commitFile(ben, 'pump.txt', 'pump\n', { repository: GUILD, branch: 'pump', from: 'main' });
  const opened = await ben.post(`${GUILD}/pulls`, { title: 'Pump', base: 'main', head: 'pump' });
  assert.equal(opened.status, 201, opened.text);
  return { guild, forge, ada, ben, cyd, dora };
}
