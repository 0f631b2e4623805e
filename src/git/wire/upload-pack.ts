import type { Readable } from 'node:stream';
import { feed, type GitExit, startGit } from '../processes/child.ts';
import { PROCESS_SLOTS } from '../processes/process-slots.ts';

/** Features that a fetch may use, and bounds on its use of the machine. */
const SETTINGS = [
  'uploadpack.allowFilter=true',
  'uploadpack.allowAnySHA1InWant=true',
  'pack.threads=2',
  'pack.windowMemory=64m',
  'pack.deltaCacheSize=64m',
];

/**
 * Serves one request of a fetch from the folder of a mirror.
 *
 * @param options.advertise sends the refs (in protocol 2, the capabilities) instead of answering `input`
 * @param options.protocol the client's unchanged Git-Protocol header
 * @returns `stdout`, whose destruction ends the work, and `done`, which resolves after the child has ended
 * @throws ForgeError `busy`; the reason of `signal`
 * @see git-upload-pack(1)
 */
export async function uploadPack(options: {
  gitDir: string;
  advertise: boolean;
  protocol?: string | undefined;
  input?: Readable;
  signal?: AbortSignal;
}): Promise<{ stdout: Readable; done: Promise<GitExit> }> {
  const advertise = options.advertise ? ['--http-backend-info-refs'] : [];
  const child = await startGit(
    {
      args: ['upload-pack', '--strict', '--stateless-rpc', ...advertise, options.gitDir],
      gitDir: options.gitDir,
      settings: SETTINGS,
      protocol: options.protocol,
    },
    { slots: PROCESS_SLOTS.fetch, signal: options.signal },
  );
  if (options.input === undefined) child.stdin.end();
  else feed(child, options.input);
  return { stdout: child.stdout, done: child.done };
}
