import type { Static } from 'typebox';
import { ForgeError, invalid, isFailure } from '../../base/core/failure.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { type OutboundAddress, outboundAddressOf } from '../../base/outbound/parse-url.ts';
import { credentialsFor, intervalOf } from '../mirrors/options.ts';
import { given } from '../repositories/creation/options.ts';
import { branchFilterOf } from './branch-filter.ts';
import type { WantedPushMirror } from './model.ts';
import type { CreatePushMirrorBody } from './schema.ts';

type Body = Static<typeof CreatePushMirrorBody>;

/**
 * Reads a request to push to another server.
 *
 * @throws ForgeError `bad_request` for values that make no sense, as in the reference; `invalid` for pushes over SSH
 */
export function pushMirrorOf(body: Body): WantedPushMirror {
  if (body.use_ssh === true)
    throw invalid('[UseSSH]: this server pushes over http or https only, with a name and a password');
  try {
    return wantedOf(body, outboundAddressOf(body.remote_address));
  } catch (error) {
    if (!isFailure(error, 'invalid')) throw error;
    throw new ForgeError({ kind: 'bad_request', what: error.message }, { cause: error });
  }
}

function wantedOf(body: Body, address: OutboundAddress): WantedPushMirror {
  if (address.url.search !== '') throw invalid('[RemoteAddress]: the address cannot have a query');
  const { branch_filter: branchFilter = '' } = body;
  if (!isPlainLine(branchFilter)) throw invalid('[BranchFilter]: must be one line');
  branchFilterOf(branchFilter);
  return {
    url: address.url,
    credentials: credentialsFor(address, {
      username: given(body.remote_username),
      password: given(body.remote_password),
    }),
    branchFilter,
    intervalMs: intervalOf(body.interval),
    followsPushes: body.sync_on_commit ?? false,
  };
}
