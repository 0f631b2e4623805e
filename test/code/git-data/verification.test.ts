import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { git, workingCopy } from '../../support/git/git.ts';

const ROOT = '/api/v1/repos/ada/loom/git';
const armored = (kind: string) => `-----BEGIN ${kind}-----\n\nYWJj\n=abcd\n-----END ${kind}-----\n`;

/** Pushes a commit with each of these signatures, and returns what the API says about it. */
async function verificationsOf(
  t: TestContext,
  signatures: readonly string[],
  { objectFormat, field }: { objectFormat: 'sha1' | 'sha256'; field: string },
) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { object_format_name: objectFormat });
  const folder = await workingCopy(t, { objectFormat });
  const tree = await git(folder, ['write-tree']);
  const people = 'author Añ <a@example.org> 1 +0000\ncommitter C <c@example.org> 2 +0000\n';
  const verifications = [];
  for (const signature of signatures) {
    const header = `${field} ${signature.trimEnd().replaceAll('\n', '\n ')}\n`;
    const content = `tree ${tree}\n${people}${header}\nSubject\n\ngpgsig in the body\n`;
    const oid = await git(folder, ['hash-object', '-w', '-t', 'commit', '--stdin'], { input: content });
    await git(folder, ['push', '-q', ada.remote('ada/loom'), `${oid}:refs/heads/of-${oid}`]);
    const { body } = await forge.get(`${ROOT}/commits/${oid}`);
    verifications.push(body.commit.verification);
  }
  return { verifications, payload: `tree ${tree}\n${people}\nSubject\n\ngpgsig in the body\n` };
}

for (const [objectFormat, field] of [
  ['sha1', 'gpgsig'],
  ['sha256', 'gpgsig-sha256'],
] as const) {
  test(`a ${objectFormat} commit with a broken signature shows it and what it signs, and is not verified`, async (t) => {
    const signatures = [armored('PGP SIGNATURE'), armored('SSH SIGNATURE')];

    const { verifications, payload } = await verificationsOf(t, signatures, { objectFormat, field });

    const reason = 'gpg.error.extract_sign';
    assert.deepEqual(
      verifications,
      signatures.map((signature) => ({ verified: false, reason, signature, signer: null, payload })),
    );
  });
}

test('a signature in another form is reported as unreadable', async (t) => {
  const signatures = [armored('SIGNED MESSAGE'), 'nonsense\n'];

  const { verifications } = await verificationsOf(t, signatures, { objectFormat: 'sha1', field: 'gpgsig' });

  for (const { verified, reason } of verifications)
    assert.deepEqual([verified, reason], [false, 'gpg.error.extract_sign']);
});
