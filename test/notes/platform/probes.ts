import { APP_PASSWORD } from '../../../src/notes/platform/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

const VERSIONS = ['v1.php', 'v2.php'];

export const PROBES: FeatureProbes = {
  others: VERSIONS.flatMap((version) => [
    {
      label: `read own user, ${version}`,
      method: 'GET' as const,
      url: `/ocs/${version}/cloud/user`,
      action: APP_PASSWORD.readOwn,
    },
  ]),
  open: [
    ...VERSIONS.flatMap((version) => [
      `GET /ocs/${version}/cloud/users/:user`,
      `GET /ocs/${version}/core/getapppassword`,
      `DELETE /ocs/${version}/core/apppassword`,
    ]),
    'GET /status.php',
    ...['', '/index.php'].flatMap((prefix) => [
      `GET ${prefix}/avatar/:user/:size`,
      `POST ${prefix}/login/v2`,
      `POST ${prefix}/login/v2/poll`,
      `GET ${prefix}/login/v2/flow/:token`,
      `POST ${prefix}/login/v2/flow/:token`,
      `GET ${prefix}/login/flow`,
      `POST ${prefix}/login/flow`,
    ]),
    'PROPFIND /remote.php/webdav',
    'PROPFIND /remote.php/webdav/',
    'PROPFIND /remote.php/dav/files/:user',
    'PROPFIND /remote.php/dav/files/:user/',
  ],
};
