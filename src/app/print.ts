import { printable } from '../base/core/text/text.ts';

/** Prints one line of a command's output. */
export type Print = (line: string) => void;

export const print: Print = (line) => {
  process.stdout.write(`${printable(line)}\n`);
};

/** Prints text and returns when the reader of the output has it. Rejects if there is no reader any more. */
export function printForSure(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

/** Returns without an error if the reader of the output is gone, such as `head`, which has all that it wants. */
export function unlessReaderIsGone(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
}

/** Keeps the process running when the reader of its output is gone, for example `head`, or a log reader that crashed. */
export function survivePipesWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
