import assert from 'node:assert/strict';
import test from 'node:test';
import { sql } from 'kysely';
import { ROOT, startWho } from '../../support/forge/who.ts';
import { collectLog } from '../../support/log-lines.ts';

test('A6: no log line and no response contains a password or a token', async (t) => {
  const who = await startWho(t, { logLevel: 'trace' });
  const lines = collectLog(who.app);
  const token = await who.token('root');
  const secrets = [token, ROOT.password, 'wrong password'];
  const answers: string[] = [];
  const requestAll = async () => {
    for (const as of [
      ROOT,
      { ...ROOT, password: 'wrong password' },
      { token },
      { name: token, password: '' },
    ]) {
      for (const path of [`/user?token=${token}&password=${encodeURIComponent(ROOT.password)}`, '/git/who']) {
        answers.push((await who.send('GET', path, { as })).text);
      }
    }
    const json = { password: ROOT.password, full_name: ['not a text'] };
    answers.push((await who.send('PATCH', '/admin/users/root', { as: ROOT, json })).text);
  };

  await requestAll();
  await who.database.transaction((tx) => sql`alter table tokens rename to tokens_elsewhere`.execute(tx));
  await requestAll();

  const basic = Buffer.from(`${ROOT.name}:${ROOT.password}`).toString('base64');
  assert.ok(
    lines.some((line) => line.includes('request failed')),
    'a server fault is logged',
  );
  for (const text of [...lines, ...answers]) {
    for (const secret of [...secrets, basic, encodeURIComponent(ROOT.password)]) {
      assert.equal(text.includes(secret), false, text);
    }
  }
});
