import { REPOSITORY } from '../../../src/hosting/repositories/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';
import type { SendOptions } from '../../support/http/http.ts';

const gitBody = (service: string): SendOptions => ({
  body: '0000',
  headers: { 'content-type': `application/x-git-${service}-request` },
});

export const PROBES: FeatureProbes = {
  repository: [
    {
      label: 'fetch refs',
      method: 'GET',
      url: '/:owner/:repo/info/refs',
      action: REPOSITORY.fetch,
      query: '?service=git-upload-pack',
    },
    {
      label: 'fetch',
      method: 'POST',
      url: '/:owner/:repo/git-upload-pack',
      action: REPOSITORY.fetch,
      sent: gitBody('upload-pack'),
    },
    {
      label: 'push refs',
      method: 'GET',
      url: '/:owner/:repo/info/refs',
      action: REPOSITORY.beginPush,
      query: '?service=git-receive-pack',
    },
    {
      label: 'push',
      method: 'POST',
      url: '/:owner/:repo/git-receive-pack',
      action: REPOSITORY.beginPush,
      sent: gitBody('receive-pack'),
    },
  ],
};
