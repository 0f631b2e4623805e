import type { Readable, Writable } from 'node:stream';

export interface ProcessCommand {
  /** a path */
  readonly program: string;
  readonly args: readonly string[];
  /** the whole environment of the process */
  readonly environment: Readonly<Record<string, string>>;
  /** descriptor of a file that the process reads as its input */
  readonly inputFile: number | undefined;
}

export interface ProcessEnd {
  /** null: ended by a signal or never started */
  readonly exitCode: number | null;
  /** why it could not be started */
  readonly error: Error | undefined;
}

/** A process in a session of its own, whose working directory is the root folder. */
export interface StartedProcess {
  /** undefined: it could not be started */
  readonly pid: number | undefined;
  /** null: the process reads a file instead */
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** whether the system has reported its end: its number may belong to another process by now */
  hasExited(): boolean;
  /** resolves when the process has ended and its output is closed; never rejects */
  readonly closed: Promise<ProcessEnd>;
}
