import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base64 } from '../../code/wiki-pages/wiki.ts';
import { ServerProcess } from '../../faults/server-process.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { request } from '../../support/http/http.ts';
import { until } from '../../support/until.ts';

const LIVES = 3;
const PAGES_OF_EACH_LIFE = 6;

test('no acknowledged page is lost when the server is killed, from the first page of a wiki on', async (t) => {
  const dataFolder = await temporaryFolder(t);
  const location = await databaseLocation(t, { schema: 'empty', folder: dataFolder });
  const site = { dataFolder, location, adminPassword: 'pw-of-the-root-1' };
  const root = { name: 'root', password: site.adminPassword };
  let server = await ServerProcess.start(t, site, null);
  const send = (method: string, path: string, json?: unknown) =>
    request(method, `${server.url}${path}`, { as: root, ...(json === undefined ? {} : { json }) });

  const acknowledged: string[] = [];
  for (let life = 0; life < LIVES; life += 1) {
    const repository = `/api/v1/repos/root/engine${life}`;
    assert.equal((await send('POST', '/api/v1/user/repos', { name: `engine${life}` })).status, 201);
    let isOver = false;
    let written = 0;
    const writers = Array.from({ length: 3 }, async (_, writer) => {
      for (let n = 0; !isOver; n += 1) {
        const title = `Page ${writer} ${n}`;
        const { status } = await send('POST', `${repository}/wiki/new`, {
          title,
          content_base64: base64(title),
        });
        if (status !== 201) continue;
        acknowledged.push(`${repository}/wiki/page/${title.replaceAll(' ', '-')}`);
        written += 1;
      }
    });
    const settled = Promise.allSettled(writers);
    await until(async () => written >= PAGES_OF_EACH_LIFE);
    await server.kill({ killsGit: false });
    isOver = true;
    await settled;
    server = await ServerProcess.start(t, site, null);
  }

  for (const path of acknowledged) assert.equal((await send('GET', path)).status, 200, path);
  const folder = await temporaryFolder(t);
  for (let life = 0; life < LIVES; life += 1) {
    const url = new URL(`${server.url}/${root.name}/engine${life}.wiki.git`);
    url.username = root.name;
    url.password = root.password;
    await git(folder, ['clone', '-q', '--mirror', url.href, `${life}`]);
    await git(folder, ['-C', `${life}`, 'fsck', '--strict', '--no-progress', '--no-dangling']);
  }
});
