import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { invalid } from '../base/core/failure.ts';
import { IMPORT_SECRETS, type ImportSecret, importSecretIn } from './config.ts';

/**
 * Reads one answer per question from standard input, a line each. A terminal shows the questions, but not the answers,
 * which are secrets.
 *
 * @throws ForgeError `invalid` if the input ends before the last answer
 */
export async function askSecrets(questions: readonly string[]): Promise<readonly string[]> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: process.stdin.isTTY });
  lines.on('SIGINT', () => lines.close());
  const answers: string[] = [];
  const ask = () => {
    const question = questions[answers.length];
    if (process.stdin.isTTY && question !== undefined) process.stderr.write(`${question}: `);
  };
  ask();
  for await (const line of lines) {
    if (process.stdin.isTTY) process.stderr.write('\n');
    answers.push(line);
    if (answers.length === questions.length) return answers;
    ask();
  }
  throw invalid(`expected ${questions.join(' and ')}, one a line`);
}

/** Explains where `secretOf` finds a secret. */
export function secretHelp(secret: ImportSecret): string {
  return `The ${secret} comes from --${secret}-file, from ${IMPORT_SECRETS[secret]}, or from standard input, where a terminal asks\nfor it. It has no flag, because other users of the machine can see the flags of a process.`;
}

/**
 * Reads a secret for another server: from a file, from the environment, or from standard input.
 *
 * @throws ForgeError `invalid`
 */
export async function secretOf(secret: ImportSecret, file: string | undefined): Promise<string> {
  const given = file === undefined ? importSecretIn(secret) : await textOfFile(file);
  const [asked = ''] = given === undefined ? await askSecrets([secret]).catch(() => []) : [given];
  const found = asked.trim();
  if (found !== '') return found;
  throw invalid(
    `give the ${secret} with --${secret}-file, in ${IMPORT_SECRETS[secret]} or on standard input: here, it is empty`,
  );
}

/** @throws ForgeError `invalid` */
export async function textOfFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw invalid(`${file} cannot be read (${error.code})`);
  });
}
