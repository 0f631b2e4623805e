import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { invalid } from '../core/failure.ts';

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
