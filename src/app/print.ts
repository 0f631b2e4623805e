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

/** Keeps the process running when the reader of its output is gone, for example `head`, or a log reader that crashed. */
export function survivePipesWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
