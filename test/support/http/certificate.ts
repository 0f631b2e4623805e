import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../git/git.ts';

/** A certificate for `localhost`, which no one trusts yet. */
export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
  /** path of the file with `cert` */
  readonly file: string;
}

export async function makeCertificate(t: TestContext): Promise<Certificate> {
  const folder = await temporaryFolder(t);
  const [key, file] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-nodes', '-keyout', key, '-out', file];
  await promisify(execFile)('openssl', ['req', '-x509', '-days', '2', ...curve, ...names, ...files]);
  return { key: await readFile(key), cert: await readFile(file), file };
}
