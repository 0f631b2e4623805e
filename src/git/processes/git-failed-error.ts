/** A git command failed unexpectedly. Its message may contain paths of this machine, so it belongs only in the log. */
export class GitFailedError extends Error {
  readonly exitCode: number | null;
  readonly stderr: string;

  constructor(subcommand: string, exit: { exitCode: number | null; stderr: string }) {
    super(`git ${subcommand} ended with ${exit.exitCode ?? 'a signal'}: ${exit.stderr}`);
    this.name = 'GitFailedError';
    this.exitCode = exit.exitCode;
    this.stderr = exit.stderr;
  }
}
