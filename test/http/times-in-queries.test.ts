import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../support/forge/forge.ts';

const REPO = '/api/v1/repos/ada/engine';

/** Lists that take times, with the parameters that bound them. */
const LISTS: readonly (readonly [path: string, ...parameters: string[]])[] = [
  [`${REPO}/commits`, 'since', 'until'],
  [`${REPO}/issues`, 'since', 'before'],
  ['/api/v1/repos/issues/search', 'since', 'before'],
  [`${REPO}/issues/comments`, 'since', 'before'],
  [`${REPO}/issues/1/comments`, 'since', 'before'],
  [`${REPO}/issues/1/timeline`, 'since', 'before'],
  [`${REPO}/issues/1/times`, 'since', 'before'],
  [`${REPO}/times`, 'since', 'before'],
  ['/api/v1/user/times', 'since', 'before'],
  ['/api/v1/notifications', 'since', 'before'],
  [`${REPO}/notifications`, 'since', 'before'],
];

test('a `+` in a time that arrives as a space is read as `+`, in every list', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await ada.post(`${REPO}/issues`, { title: 'It rattles' });
  await ada.post(`${REPO}/issues/1/comments`, { body: 'Loudly.' });
  await ada.post(`${REPO}/issues/1/times`, { time: 60 });
  for (const [path, ...parameters] of LISTS)
    for (const parameter of parameters)
      for (const year of ['2020', '2100']) {
        const time = `${year}-01-01T00:00:00`;
        const [encoded, plain, space] = await Promise.all(
          ['%2B', '+', '%20'].map((sign) => ada.get(`${path}?${parameter}=${time}${sign}02:00`)),
        );
        assert.equal(encoded?.status, 200, `${path} ${parameter}`);
        for (const other of [plain, space]) {
          assert.deepEqual(other?.body, encoded?.body, `${path} ${parameter}`);
          assert.equal(other?.headers.get('x-total-count'), encoded?.headers.get('x-total-count'));
        }
      }
});
