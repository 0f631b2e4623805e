import type { GitDir } from '../folders/repository-layout.ts';
import { OWN_REFS } from '../format/ref-names.ts';
import type { FetchAnswer, FetchRequest } from '../interface/transfers.ts';
import { GIT_LIMITS } from '../limits.ts';
import { feed, startGit } from '../processes/child.ts';
import { spoolOutput } from '../processes/spool-output.ts';
import type { TransferResources } from '../processes/transfer-resources.ts';

/**
 * Filters of partial clones whose cost is bounded. `sparse:oid` walks every path, so a few objects can cost any time, and
 * `combine` multiplies costs. git names a denied filter to its client.
 *
 * @see git-config(1), uploadpackfilter
 */
const FILTERS = ['blob:none', 'blob:limit', 'tree', 'object:type'];

/** Features that a fetch may use, and bounds on its use of the machine. */
const SETTINGS = [
  'uploadpack.allowFilter=true',
  'uploadpackfilter.allow=false',
  ...FILTERS.map((name) => `uploadpackfilter.${name}.allow=true`),
  `uploadpackfilter.tree.maxDepth=${GIT_LIMITS.treeFilterDepthMax}`,
  'uploadpack.allowAnySHA1InWant=true',
  `transfer.hideRefs=${OWN_REFS}`,
  'pack.threads=2',
  'pack.windowMemory=64m',
  'pack.deltaCacheSize=64m',
];

/**
 * Serves one request of a fetch, or a whole conversation, from the folder of a mirror. The slot is free when git has written its output, even if
 * the client has not read it yet.
 *
 * @throws ForgeError `busy`; the reason of `signal`
 * @see git-upload-pack(1)
 */
export async function uploadPack(
  resources: Pick<TransferResources, 'fetch' | 'spools'>,
  gitDir: GitDir,
  request: FetchRequest,
): Promise<FetchAnswer> {
  const { signal, protocol } = request;
  const advertise = request.advertise ? ['--http-backend-info-refs'] : [];
  const stateless = request.isConversation === true ? [] : ['--stateless-rpc'];
  const child = await startGit(
    {
      args: ['upload-pack', '--strict', ...stateless, ...advertise, gitDir],
      gitDir,
      settings: SETTINGS,
      protocol,
    },
    { slots: resources.fetch, signal, deadlineMs: GIT_LIMITS.gitProgressMs, hasLowPriority: true },
  );
  const output = spoolOutput(resources.spools, child);
  const discard = () => void output.destroy(signal.reason);
  if (signal.aborted) discard();
  signal.addEventListener('abort', discard, { once: true });
  feed(child, request.input ?? nothing()).catch((error) => output.destroy(error));
  return { output, done: child.done };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
