import type { TestContext } from 'node:test';
import { type Person, startForge, type TestForge, type TestForgeOptions } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { ENGINE } from '../../tracker/pulls/pulls.ts';
import type { KeyPair, NEW_PAIR } from './server-keys.ts';

export const SIGNER = { name: 'Quire', email: 'quire@example.org', username: '' };

export const byServer = ({ name }: KeyPair) => ({
  verified: true,
  reason: `Quire / ${name}`,
  signer: SIGNER,
});

/** Starts a forge that signs, with ada's repository `engine` and ben, who may write to it. */
export async function startSigning(
  t: TestContext,
  pair: KeyPair,
  { options = {}, record = {} }: { options?: TestForgeOptions; record?: Record<string, unknown> } = {},
) {
  const settings = { signingKey: pair.file, signingEmail: SIGNER.email, ...options.settings };
  const forge = await startForge(t, { fresh: true, ...options, settings });
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine', { auto_init: true, ...record });
  await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'write' });
  return { forge, ada, ben };
}

export async function mirrorOf(t: TestContext, who: Person, path: string): Promise<string> {
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', '--mirror', who.remote(path), '.']);
  return folder;
}

export async function publicKey(forge: TestForge, kind: keyof typeof NEW_PAIR): Promise<string> {
  return (await forge.get(`/api/v1/signing-key.${kind === 'SSH' ? 'ssh' : 'gpg'}`)).text;
}

export async function verificationOf(who: Person, sha: string, repository = ENGINE) {
  const { verification } = (await who.get(`${repository}/git/commits/${sha}`)).body.commit;
  const { verified, reason, signer } = verification;
  return { verified, reason, signer };
}

export async function tipOf(who: Person, branch = 'main'): Promise<string> {
  return (await who.get(`${ENGINE}/branches/${branch}`)).body.commit.id;
}
